import dagre from "@dagrejs/dagre";
import {
  Background,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeHandle,
  type NodeProps,
  Position,
  ReactFlow,
} from "@xyflow/react";
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

type Direction = "down" | "right";

type Boxed = Node<{ readonly content: ReactNode; readonly marked: boolean; readonly direction: Direction }, "box">;

const size = { width: 232, height: 60 };
const perRow = 2;

/** Boxes and arrows, laid out by dependency. */
export function Graph(props: {
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly selected?: string | null;
  readonly onSelect?: (id: string) => void;
  /** A few steps in a row are read like a line; many are read like a page. */
  readonly direction?: Direction;
}) {
  const { direction = "down" } = props;
  const { nodes, edges } = useMemo(
    () => lay(props.nodes, props.edges, props.selected ?? null, direction),
    [props.nodes, props.edges, props.selected, direction],
  );
  const wayBack = direction === "right" && edges.some(({ sourceHandle }) => sourceHandle === "back-out") ? 72 : 0;
  const tallest = Math.max(0, ...nodes.map(({ position }) => position.y + size.height)) + wayBack;
  return (
    // As high as what is drawn, within reason: a graph of one box does not fill the screen with nothing.
    <div
      className="graph"
      role="group"
      aria-label={props.label}
      style={{ height: Math.min(460, Math.max(124, tallest + 64)) }}
    >
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

/** Where arrows come in and go out; those that lead back run beside the boxes. */
const sides = {
  down: { in: Position.Top, out: Position.Bottom, back: Position.Right },
  right: { in: Position.Left, out: Position.Right, back: Position.Bottom },
} as const;

/**
 * Where the arrows meet a box, stated and not measured: the boxes are given anew with each answer of the server, and an arrow
 * would wait for a measurement that does not come when two answers follow each other closely.
 */
function handlesOf(direction: Direction): NodeHandle[] {
  const side = sides[direction];
  return [
    { id: "in", type: "target", ...meetingPoint(side.in) },
    { id: "back-in", type: "target", ...meetingPoint(side.back) },
    { id: "out", type: "source", ...meetingPoint(side.out) },
    { id: "back-out", type: "source", ...meetingPoint(side.back) },
  ];
}

function meetingPoint(position: Position) {
  const { width, height } = size;
  const isBeside = position === Position.Left || position === Position.Right;
  const x = isBeside ? (position === Position.Right ? width : 0) : width / 2;
  const y = isBeside ? height / 2 : position === Position.Bottom ? height : 0;
  return { position, x, y, width: 0, height: 0 };
}

function Box({ data, selected }: NodeProps<Boxed>) {
  const side = sides[data.direction];
  return (
    <div className={`graph-box${data.marked ? " marked" : ""}${selected ? " chosen" : ""}`}>
      <Handle id="in" type="target" position={side.in} isConnectable={false} />
      <Handle id="back-in" type="target" position={side.back} isConnectable={false} />
      {data.content}
      <Handle id="out" type="source" position={side.out} isConnectable={false} />
      <Handle id="back-out" type="source" position={side.back} isConnectable={false} />
    </div>
  );
}

const nodeTypes = { box: Box };

function lay(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  selected: string | null,
  direction: Direction,
): { nodes: Boxed[]; edges: Edge[] } {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: direction === "down" ? "TB" : "LR", nodesep: 24, ranksep: direction === "down" ? 44 : 56 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(nodes.map((node) => node.id));
  const drawn = edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
  const joined = new Set(drawn.flatMap((edge) => [edge.from, edge.to]));
  for (const node of nodes) if (joined.has(node.id)) graph.setNode(node.id, { ...size });
  for (const edge of drawn) graph.setEdge(edge.from, edge.to);
  dagre.layout(graph);
  const alone = nodes.filter((node) => !joined.has(node.id));
  const below = joined.size === 0 ? 0 : Math.max(...[...joined].map((id) => graph.node(id).y)) + size.height;
  const placeOf = (id: string) => {
    if (joined.has(id)) {
      const { x, y } = graph.node(id);
      return { x: x - size.width / 2, y: y - size.height / 2 };
    }
    // What depends on nothing stands in rows below, in the order in which it was asked for.
    const index = alone.findIndex((node) => node.id === id);
    return {
      x: (index % perRow) * (size.width + 24),
      y: below + Math.floor(index / perRow) * (size.height + 24),
    };
  };
  const along = direction === "down" ? "y" : "x";
  const leadsBack = (from: { x: number; y: number }, to: { x: number; y: number }) => to[along] <= from[along];
  return {
    nodes: nodes.map((node) => {
      return {
        id: node.id,
        type: "box",
        position: placeOf(node.id),
        data: { content: node.content, marked: node.marked ?? false, direction },
        selected: node.id === selected,
        handles: handlesOf(direction),
        ...size,
      };
    }),
    edges: drawn.map((edge) => ({
      id: `${edge.from} ${edge.to} ${edge.label ?? ""}`,
      source: edge.from,
      target: edge.to,
      // A way back runs beside the boxes, where its condition can be read.
      ...(leadsBack(placeOf(edge.from), placeOf(edge.to))
        ? { sourceHandle: "back-out", targetHandle: "back-in", type: "smoothstep", pathOptions: { offset: 48 } }
        : { sourceHandle: "out", targetHandle: "in" }),
      markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
      ...(edge.label ? { label: edge.label } : {}),
      ...(edge.marked ? { className: "marked" } : {}),
    })),
  };
}
