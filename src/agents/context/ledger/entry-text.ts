import { canonicalJson, isJsonObject, type JsonValue } from "#core/values";
import type { Envelope } from "#log";

export interface EntryView {
  readonly max_chars?: number;
  /** Payload fields, dots between levels; absent: all. */
  readonly fields?: readonly string[];
}

/** An entry as a reader sees it: when, what, who, and the payload as it was recorded. */
export function entryText(entry: Envelope, view: EntryView): string {
  const maxChars = view.max_chars ?? 2000;
  const payload = view.fields
    ? Object.fromEntries(
        view.fields.flatMap((field) => {
          const value = valueAt(entry, field);
          return value === undefined ? [] : [[field, value]];
        }),
      )
    : entry.payload;
  const text = `${entry.ts} ${entry.type} by ${entry.actor}\n${canonicalJson(payload)}`;
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 7).toWellFormed()}… (cut)`;
}

/** `outcome.status` is the field `status` of the field `outcome`. */
export function valueAt(entry: Pick<Envelope, "payload">, path: string): JsonValue | undefined {
  let value: unknown = entry.payload;
  for (const key of path.split(".")) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value as JsonValue | undefined;
}

/** The words people search for: every string in a payload but hashes and ids, which are found by their own fields. */
export function searchableText(entry: Pick<Envelope, "payload">): string {
  const parts: string[] = [];
  collect(entry.payload, parts);
  return parts.join("\n");
}

const opaque = /^([0-9a-f]{64}|[A-Z]{2,4}-[0-9A-Za-z-]{12,})$/;

function collect(value: JsonValue, parts: string[]): void {
  if (typeof value === "string") {
    if (value !== "" && !opaque.test(value)) parts.push(value);
  } else if (Array.isArray(value)) for (const each of value) collect(each, parts);
  else if (isJsonObject(value)) for (const each of Object.values(value)) collect(each, parts);
}

/** Lower case, without marks, letters and digits only: the index folds text the same way. */
export function wordsOf(text: string): readonly string[] {
  const folded = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return [...new Set(folded.match(/[\p{L}\p{N}]+/gu) ?? [])];
}
