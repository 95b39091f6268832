import { createRequire } from "node:module";
import { stripVTControlCharacters } from "node:util";
import type CliTable from "cli-table3";
import type { Screen } from "./screen.ts";

const require = createRequire(import.meta.url);

/** Loaded with the first table: most commands show none. */
function loadTable(): typeof CliTable {
  return require("cli-table3") as typeof CliTable;
}

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

const between = "  ";
/** The smallest width of a column. */
const narrowest = 8;

/**
 * Columns without rules: easy to read and to cut with other programs. In a terminal the widest columns shrink until a
 * line fits.
 */
export function table(screen: Screen, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const drawn = new (loadTable())({
    chars: { ...noLines, middle: between },
    truncate: screen.unicode ? "…" : "...",
    ...(screen.live ? { colWidths: fittingWidths([head, ...rows], screen.width) } : {}),
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  drawn.push(
    head.map((title) => screen.dim(title)),
    ...rows.map((row) => [...row]),
  );
  return `${drawn.toString().replaceAll(/[ \t]+$/gm, "")}\n`;
}

function fittingWidths(lines: readonly (readonly string[])[], width: number): number[] {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(1, ...lines.map((line) => stripVTControlCharacters(line[column] ?? "").length)),
  );
  const room = width - between.length * (widths.length - 1);
  for (let over = sum(widths) - room; over > 0; over--) {
    const widest = widths.lastIndexOf(Math.max(...widths));
    const current = widths[widest] ?? 0;
    if (current <= narrowest) break;
    widths[widest] = current - 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
