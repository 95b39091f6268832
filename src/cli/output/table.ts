import Table from "cli-table3";
import type { Screen } from "./screen.ts";

const edges = [
  "top",
  "top-mid",
  "top-left",
  "top-right",
  "bottom",
  "bottom-mid",
  "bottom-left",
  "bottom-right",
  "left",
  "left-mid",
  "mid",
  "mid-mid",
  "right",
  "right-mid",
];
const noLines = Object.fromEntries(edges.map((edge) => [edge, ""]));

/** Columns without lines: easy to read, easy to cut with other programs. */
export function table(screen: Screen, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const drawn = new Table({
    chars: { ...noLines, middle: "  " },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  drawn.push(
    head.map((title) => screen.dim(title)),
    ...rows.map((row) => [...row]),
  );
  return `${drawn.toString().replaceAll(/[ \t]+$/gm, "")}\n`;
}
