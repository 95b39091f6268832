import type { SecretPart } from "../sealed-values.ts";
import { markerFor } from "./marker.ts";
import { formsOf, standsOut } from "./mask-opened.ts";
import { type Mark, replace, replaceOutside } from "./seal-text.ts";
import type { Span } from "./span.ts";

/** The least of a cut secret that is hidden: less of it gives nothing away. */
const leastBeginning = 4;

/**
 * The secrets of a text line by line, for a result that shows a part of the text: a line of a key by itself looks like any
 * other word.
 */
export function secretParts(text: string, spans: readonly Span[]): readonly SecretPart[] {
  const parts = new Map<string, string>();
  for (const { start, end, kind } of spans)
    for (const line of text.slice(start, end).split("\n")) {
      const part = line.trim();
      if (standsOut(part)) parts.set(part, kind);
    }
  return [...parts].map(([part, kind]) => ({ kind, text: part })).sort((a, b) => b.text.length - a.text.length);
}

/** The text with a marker in place of each line of a secret; what follows keeps its line. */
export function markLines(text: string, spans: readonly Span[]): string {
  const lines = spans.flatMap(({ start, end, kind }) =>
    [...text.slice(start, end).matchAll(/[^\r\n]+/g)].map(({ index, 0: line }) => ({
      start: start + index,
      end: start + index + line.length,
      kind,
    })),
  );
  return replace(text, lines, markerFor);
}

/** Values as texts have them: as they are, and as JSON writes them. Short values and plain words only mean themselves in most places. */
export function partsOfValues(
  values: readonly { readonly kind: string; readonly value: unknown }[],
): readonly SecretPart[] {
  return values.flatMap(({ kind, value }) =>
    kind !== "literal" && typeof value === "string" && standsOut(value)
      ? formsOf(value).map((text) => ({ kind, text }))
      : [],
  );
}

/** Puts a mark in place of each part. */
export function hideParts(text: string, parts: readonly SecretPart[], mark: Mark): string {
  let hidden = text;
  for (const { kind, text: part } of parts) hidden = replaceOutside(hidden, part, () => mark(kind, part));
  return hidden;
}

/** The same for a text that may have been cut within a part: the beginning of one at its end is hidden as well. */
export function hideCutParts(text: string, parts: readonly SecretPart[], mark: Mark): string {
  const hidden = hideParts(text, parts, mark);
  const end = hidden.endsWith("…") ? hidden.length - 1 : hidden.length;
  for (const { kind, text: part } of parts)
    for (let length = Math.min(part.length - 1, end); length >= leastBeginning; length--) {
      const beginning = part.slice(0, length);
      if (hidden.startsWith(beginning, end - length))
        return `${hidden.slice(0, end - length)}${mark(kind, beginning)}${hidden.slice(end)}`;
    }
  return hidden;
}
