import { type Hunk, lineDifference } from "./line-difference.ts";
import { linesOf } from "./lines.ts";

export interface Edit {
  readonly find: string;
  readonly replace: string;
  readonly before?: string;
  readonly after?: string;
}

/** Lines of context around a change. */
const usualContext = 2;

/** The text edits, each of which matches exactly once when it is applied in order. `before` is not empty. */
export function editsBetween(before: string, after: string): readonly Edit[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const edits: Edit[] = [];
  const now = [...old];
  let shift = 0;
  for (const hunk of lineDifference(old, fresh)) {
    const lines = fresh.slice(hunk.newStart, hunk.newEnd);
    const start = hunk.oldStart + shift;
    const end = hunk.oldEnd + shift;
    edits.push(editAt(now, anchored(now, { ...hunk, oldStart: start, oldEnd: end }, lines)));
    now.splice(start, end - start, ...lines);
    shift += lines.length - (end - start);
  }
  return edits;
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** An edit needs text to find: where lines are only added, it includes the line before them, or the one after. */
function anchored(now: readonly string[], { oldStart, oldEnd }: Hunk, lines: readonly string[]): Change {
  if (oldEnd > oldStart) return { start: oldStart, end: oldEnd, lines };
  const previous = now[oldStart - 1];
  if (previous !== undefined) return { start: oldStart - 1, end: oldEnd, lines: [previous, ...lines] };
  return { start: oldStart, end: oldEnd + 1, lines: [...lines, now[oldStart] ?? ""] };
}

/** An edit with as much context as makes its match unique. */
function editAt(now: readonly string[], { start, end, lines }: Change): Edit {
  const text = now.join("");
  const find = now.slice(start, end).join("");
  for (let context = usualContext; ; context *= 2) {
    const before = now.slice(Math.max(0, start - context), start).join("");
    const after = now.slice(end, end + context).join("");
    const isWhole = start - context <= 0 && end + context >= now.length;
    if (!isWhole && !isOnly(text, before + find + after)) continue;
    return { find, replace: lines.join(""), ...(before === "" ? {} : { before }), ...(after === "" ? {} : { after }) };
  }
}

function isOnly(text: string, passage: string): boolean {
  return text.indexOf(passage) === text.lastIndexOf(passage);
}
