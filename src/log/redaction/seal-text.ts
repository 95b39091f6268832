import type { JsonValue } from "#core/values";
import { everyMarker, everyResemblance } from "./marker.ts";
import { mergeSpans, type Span } from "./span.ts";

/** The text that stands for a value of this kind. Called once for each span, in order. */
export type Mark = (kind: string, value: JsonValue) => string;

/** How a value is sealed. */
export interface Seal {
  readonly mark: Mark;
  /** Text that resembles a marker or a handle is sealed as well, as kind `literal`: it came from a file, and stands for itself. */
  readonly literals: boolean;
  /** Applied last to every text: replaces values that are secret here, whatever stands around them. */
  readonly also?: (text: string) => string;
}

export function replace(text: string, spans: readonly Span[], mark: Mark): string {
  let replaced = "";
  let from = 0;
  for (const span of spans) {
    replaced += text.slice(from, span.start) + mark(span.kind, text.slice(span.start, span.end));
    from = span.end;
  }
  return replaced + text.slice(from);
}

/** A redacted span may expose a secret beside it; more than this many passes are never needed. */
export const mostRounds = 4;

interface Finding {
  find(text: string): readonly Span[];
  inStructure(text: string): readonly { readonly kind: string; readonly value: JsonValue }[];
}

/**
 * Replaces every span and keeps every other character, also where the text is JSON: redaction may write such text anew,
 * a file that is edited has to come back as it was.
 */
export function sealedText(text: string, mark: Mark, { find, inStructure }: Finding): string {
  let sealed = text;
  let spans = find(text);
  for (let round = 0; round < mostRounds && spans.length > 0; round++) {
    sealed = replace(sealed, spans, mark);
    spans = find(sealed);
  }
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return sealed;
  for (const { kind, value } of inStructure(text)) {
    const raw = rawOf(value);
    if (raw !== "") sealed = replaceOutside(sealed, raw, () => mark(kind, raw));
  }
  return sealed;
}

/** Every span, those that only the structure of a JSON text gives away among them. */
export function secretsIn(text: string, { find, inStructure }: Finding): readonly Span[] {
  const spans = [...find(text)];
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return spans;
  for (const { kind, value } of inStructure(text)) {
    const raw = rawOf(value);
    for (let at = raw === "" ? -1 : text.indexOf(raw); at >= 0; at = text.indexOf(raw, at + raw.length))
      spans.push({ start: at, end: at + raw.length, kind });
  }
  return mergeSpans(spans);
}

/** As JSON writes it, without the quotes. */
function rawOf(value: JsonValue): string {
  return typeof value === "string" ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value);
}

/** Replaces each occurrence of a text that lies outside markers and handles. */
export function replaceOutside(text: string, wanted: string, mark: () => string): string {
  if (!text.includes(wanted)) return text;
  let replaced = "";
  let from = 0;
  for (const { index, 0: found } of text.matchAll(everyMarker)) {
    replaced += text.slice(from, index).replaceAll(wanted, mark) + found;
    from = index + found.length;
  }
  return replaced + text.slice(from).replaceAll(wanted, mark);
}

/** Every marker, handle, or text that resembles one. A `[REDACTED:…]` of a kind that no finder has is plain text. */
export function resemblancesIn(text: string, isKind: (kind: string) => boolean): readonly RegExpExecArray[] {
  if (!text.includes("[")) return [];
  return [...text.matchAll(everyResemblance)].filter(([, kind]) => kind === undefined || isKind(kind));
}

/** What resembles a marker or a handle in text from outside is sealed itself, so that it comes back as it was. */
export function withoutResemblance(text: string, isKind: (kind: string) => boolean, mark: Mark): string {
  const spans = resemblancesIn(text, isKind).map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
    kind: "literal",
  }));
  return spans.length === 0 ? text : replace(text, spans, mark);
}
