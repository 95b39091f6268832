const longest = 64;

/** The candidate that was probably meant, for "did you mean …"; nothing when none is near. */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name);
  if (wanted.length === 0 || wanted.length > longest) return undefined;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const other = plain(candidate);
    if (other.length > longest) continue;
    const allowed = Math.max(1, Math.floor(Math.min(wanted.length, other.length) / 3));
    if (Math.abs(wanted.length - other.length) > allowed) continue;
    const distance = editDistance(wanted, other);
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** `tokenLimit`, `token-limit` and `token_limit` are the same slip. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]/g, "");
}

/** Insertions, deletions, replacements, and swaps of neighbours. */
function editDistance(a: string, b: string): number {
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
  return last[b.length] ?? 0;
}
