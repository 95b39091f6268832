import dagre from "@dagrejs/dagre";
import { Background, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import { type ReactNode, useMemo } from "react";
import "@xyflow/react/dist/style.css";
import "./graph.css";

export interface GraphNode {
  readonly id: string;
  readonly content: ReactNode;
  readonly marked?: boolean;
}
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  readonly marked?: boolean;
}

type Boxed = Node<{ readonly content: ReactNode; readonly marked: boolean }, "box">;

const size = { width: 208, height: 60 };

/** Boxes and arrows, laid out by dependency. */
export function Graph(props: {
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly selected?: string | null;
  readonly onSelect?: (id: string) => void;
}) {
  const { nodes, edges } = useMemo(
    () => lay(props.nodes, props.edges, props.selected ?? null),
    [props.nodes, props.edges, props.selected],
  );
  return (
    <div className="graph" role="group" aria-label={props.label}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, node) => props.onSelect?.(node.id)}
      >
        <Background gap={16} />
      </ReactFlow>
    </div>
  );
}

function Box({ data, selected }: NodeProps<Boxed>) {
  return (
    <div className={`graph-box${data.marked ? " marked" : ""}${selected ? " chosen" : ""}`}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {data.content}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

const nodeTypes = { box: Box };

function lay(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  selected: string | null,
): { nodes: Boxed[]; edges: Edge[] } {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 44 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(nodes.map((node) => node.id));
  for (const node of nodes) graph.setNode(node.id, { ...size });
  const drawn = edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
  for (const edge of drawn) graph.setEdge(edge.from, edge.to);
  dagre.layout(graph);
  return {
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.id);
      return {
        id: node.id,
        type: "box",
        position: { x: x - size.width / 2, y: y - size.height / 2 },
        data: { content: node.content, marked: node.marked ?? false },
        selected: node.id === selected,
        ...size,
      };
    }),
    edges: drawn.map((edge) => ({
      id: `${edge.from} ${edge.to} ${edge.label ?? ""}`,
      source: edge.from,
      target: edge.to,
      ...(edge.label ? { label: edge.label } : {}),
      ...(edge.marked ? { className: "marked" } : {}),
    })),
  };
}
