/** A span of text that must not be recorded, and its kind. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** In order and without overlap; where two overlap, both are covered and the earlier gives the name. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  if (spans.length < 2) return spans;
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last && span.start < last.end) {
      if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
    } else merged.push(span);
  }
  return merged;
}
