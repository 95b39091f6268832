import { type DomainError, domainError } from "../errors/domain-error.ts";
import { isJsonObject, type JsonValue } from "./json.ts";

/**
 * U+0000 is the one character that PostgreSQL stores in no text. SQLite would store it; both refuse it, so that the
 * stores accept the same texts. In JSON it is escaped and passes everywhere: events hold any text.
 */
const unkept = "\0";
const standIn = "\u{fffd}";

export function isStorable(text: string): boolean {
  return !text.includes(unkept);
}

/** The text with U+FFFD in place of U+0000: for messages that must be stored, such as the reason of a failure. */
export function toStorableText(text: string): string {
  return text.replaceAll(unkept, standIn);
}

/** The same for every text in a value, keys included. */
export function toStorableJson(value: JsonValue): JsonValue {
  if (typeof value === "string") return toStorableText(value);
  if (Array.isArray(value)) return value.map(toStorableJson);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [toStorableText(name), toStorableJson(each)]));
}

export function unstorable(where: string): DomainError {
  return domainError(
    "MALFORMED_INPUT",
    `${where} holds the character U+0000, which no store keeps in a text: leave it out`,
    { details: { where } },
  );
}
