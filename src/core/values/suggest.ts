const longest = 64;

/** The candidate that was probably meant, for "did you mean …"; undefined when none is near. */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name);
  if (wanted.length === 0 || wanted.length > longest) return undefined;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const other = plain(candidate);
    if (other.length > longest) continue;
    const allowed = Math.max(1, Math.floor(Math.min(wanted.length, other.length) / 3));
    const limit = Math.min(allowed, (best?.distance ?? allowed + 1) - 1);
    if (limit < 0) break; // no candidate is nearer than an equal one
    if (Math.abs(wanted.length - other.length) > limit) continue;
    const distance = editDistance(wanted, other, limit);
    if (distance !== undefined) best = { candidate, distance };
  }
  return best?.candidate;
}

/** `tokenLimit`, `token-limit` and `token_limit` count as the same name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]/g, "");
}

/**
 * Insertions, deletions, replacements, and swaps of neighbours; undefined when there are more than `limit`. Names often
 * share both ends, and most are far apart: without the shortcuts a document of 2,000 headings took 6 ms.
 */
function editDistance(left: string, right: string, limit: number): number | undefined {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const [a, b] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  if (a === "" || b === "") return within(a.length + b.length, limit);
  if (limit === 0) return undefined;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return within(last[b.length] ?? 0, limit);
}

function within(distance: number, limit: number): number | undefined {
  return distance <= limit ? distance : undefined;
}
