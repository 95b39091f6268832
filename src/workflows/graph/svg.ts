import type { CycleGraph, GraphEdge, GraphNode } from "./graph.ts";

const size = { width: 340, head: 26, line: 18, gap: 64, margin: 24, lane: 46, side: 420 };

interface Box {
  readonly node: GraphNode;
  readonly y: number;
  readonly height: number;
}

/** The graph as one SVG picture: phases from top to bottom, ways that leave the order along the right side. Light and dark alike. */
export function toSvg(graph: CycleGraph): string {
  const boxes = layOut(graph.nodes);
  const aside = graph.edges.filter((edge) => edge.aside);
  const bottom = boxes.at(-1);
  const height = (bottom ? bottom.y + bottom.height : 0) + size.margin;
  const width =
    size.margin * 2 + size.width + (aside.length > 0 ? size.side + aside.length * size.lane : size.side / 2);
  const parts = [
    ...graph.edges.filter((edge) => !edge.aside).map((edge) => straight(edge, boxes)),
    ...aside.map((edge, lane) => around(edge, lane, boxes)),
    ...boxes.map(draw),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(graph.title)}">
<style>
  svg { color: #1f2328; background: #fff; font: 13px system-ui, sans-serif }
  @media (prefers-color-scheme: dark) { svg { color: #e6edf3; background: #0d1117 } }
  rect { fill: none; stroke: currentColor; stroke-width: 1.2 }
  text { fill: currentColor } .head { font-weight: 600 } .label { font: 11px ui-monospace, monospace; opacity: .75 }
  path { fill: none; stroke: currentColor; stroke-width: 1.2 } .aside { stroke-dasharray: 5 4 }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8Z" style="fill:currentColor"/></marker></defs>
${parts.join("\n")}
</svg>
`;
}

function layOut(nodes: readonly GraphNode[]): readonly Box[] {
  const boxes: Box[] = [];
  let y = size.margin;
  for (const node of nodes) {
    const height = size.head + node.lines.length * size.line + 8;
    boxes.push({ node, y, height });
    y += height + size.gap;
  }
  return boxes;
}

function draw({ node, y, height }: Box): string {
  const x = size.margin;
  const round = node.kind === "phase" ? 6 : 17;
  const lines = node.lines.map(
    (line, index) =>
      `<text x="${x + 14}" y="${y + size.head + 12 + index * size.line}">${escape(shorten(line, 46))}</text>`,
  );
  return `<g><rect x="${x}" y="${y}" width="${size.width}" height="${height}" rx="${round}"/><text class="head" x="${x + 14}" y="${y + 20}">${escape(shorten(node.title, 44))}</text>${lines.join("")}</g>`;
}

function straight({ from, to, label }: GraphEdge, boxes: readonly Box[]): string {
  const [a, b] = [find(boxes, from), find(boxes, to)];
  if (!a || !b) return "";
  const x = size.margin + size.width / 2;
  const start = a.y + a.height;
  return `<path d="M${x} ${start}V${b.y - 2}" marker-end="url(#tip)"/><text class="label" x="${x + 8}" y="${start + (b.y - start) / 2 + 4}">${escape(shorten(label, 70))}</text>`;
}

function around({ from, to, label }: GraphEdge, lane: number, boxes: readonly Box[]): string {
  const [a, b] = [find(boxes, from), find(boxes, to)];
  if (!a || !b) return "";
  const right = size.margin + size.width;
  const out = right + size.side + size.lane * lane;
  const [start, end] = [a.y + a.height / 2, b.y + b.height / 2 + 6];
  return `<path class="aside" d="M${right} ${start}H${out}V${end}H${right + 2}" marker-end="url(#tip)"/><text class="label" x="${right + 10}" y="${start - 6}">${escape(shorten(label, 60))}</text>`;
}

function find(boxes: readonly Box[], id: string): Box | undefined {
  return boxes.find(({ node }) => node.id === id);
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}
