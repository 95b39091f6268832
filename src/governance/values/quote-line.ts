import type { ValueDoubt } from "./judge-values.ts";
import type { ValueIndex } from "./value-index.ts";
import { folded } from "./words.ts";

const mostQuoted = 160;

/** The line of a result in which a doubtful value stands, as it is compared; cut around the value. Text of strangers. */
export function lineOf({ label, value }: ValueDoubt, index: ValueIndex): string | undefined {
  const text = folded(value ?? "").trim();
  if (!label || text === "") return undefined;
  const named = new Set((label.ref ?? []).map((ref) => ref.split("#")[0]));
  for (const source of index.sources) {
    const at = named.has(source.call_id) ? source.text.indexOf(text) : -1;
    if (at < 0) continue;
    const start = source.text.lastIndexOf("\n", at) + 1;
    const end = source.text.indexOf("\n", at);
    const line = source.text.slice(start, end < 0 ? undefined : end);
    // The value itself, without the words around it, says nothing that the question does not say.
    return line.trim() === text ? undefined : cutAround(line, at - start);
  }
  return undefined;
}

function cutAround(line: string, at: number): string {
  if (line.length <= mostQuoted) return line.trim().toWellFormed();
  const from = Math.max(0, Math.min(at - mostQuoted / 2, line.length - mostQuoted));
  const to = from + mostQuoted;
  return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`.toWellFormed();
}
