import { type Hunk, lineDifference } from "./line-difference.ts";
import { linesOf } from "./lines.ts";

const context = 3;

/** The difference of two documents in the format of `diff -u`; empty when they are equal. */
export function unifiedDifference(
  before: string,
  after: string,
  names: { readonly before: string; readonly after: string },
): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const hunks = lineDifference(old, fresh);
  if (hunks.length === 0) return "";
  const body = together(hunks).map((group) => hunkText(old, fresh, group));
  return `--- ${names.before}\n+++ ${names.after}\n${body.join("")}`;
}

/** Merges hunks whose context would overlap. */
function together(hunks: readonly Hunk[]): readonly (readonly Hunk[])[] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last && hunk.oldStart - (last.at(-1)?.oldEnd ?? 0) <= 2 * context) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function hunkText(old: readonly string[], fresh: readonly string[], group: readonly Hunk[]): string {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last) return "";
  const oldFrom = Math.max(0, first.oldStart - context);
  const newFrom = Math.max(0, first.newStart - context);
  const oldTo = Math.min(old.length, last.oldEnd + context);
  const newTo = Math.min(fresh.length, last.newEnd + context);
  const lines: string[] = [];
  let at = oldFrom;
  for (const hunk of group) {
    lines.push(...marked(" ", old.slice(at, hunk.oldStart)));
    lines.push(...marked("-", old.slice(hunk.oldStart, hunk.oldEnd)));
    lines.push(...marked("+", fresh.slice(hunk.newStart, hunk.newEnd)));
    at = hunk.oldEnd;
  }
  lines.push(...marked(" ", old.slice(at, oldTo)));
  return `@@ -${range(oldFrom, oldTo)} +${range(newFrom, newTo)} @@\n${lines.join("")}`;
}

function range(from: number, to: number): string {
  const count = to - from;
  const start = count === 0 ? from : from + 1;
  return count === 1 ? `${start}` : `${start},${count}`;
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => (/[\r\n]$/.test(line) ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`));
}
