import type { CycleGraph, GraphNode } from "./graph.ts";

/** The graph as Mermaid text, which code hosts and editors draw. */
export function toMermaid({ nodes, edges }: CycleGraph): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const name = (id: string) => names.get(id) ?? "n0";
  const lines = [
    "flowchart TD",
    ...nodes.map((node) => `  ${name(node.id)}${shape(node)}`),
    ...edges.map(({ from, to, label, aside }) => {
      const arrow = aside ? "-.->" : "-->";
      return `  ${name(from)} ${arrow}${label === "" ? "" : `|"${escape(label)}"|`} ${name(to)}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function shape({ kind, title, lines }: GraphNode): string {
  const text = [`<b>${escape(title)}</b>`, ...lines.map(escape)].join("<br/>");
  return kind === "phase" ? `["${text}"]` : `(["${text}"])`;
}

/** Mermaid reads quotes, brackets and its own comment sign inside labels; entities it does not. */
function escape(text: string): string {
  return text.replaceAll(/["<>&#;{}|[\]()%`]/g, (sign) => `#${sign.codePointAt(0)};`).replaceAll(/\s+/g, " ");
}
