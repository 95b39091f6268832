import type { Event } from "../event.ts";

/**
 * Whether all typed words occur in the values of an event, in any case; a quoted phrase counts as one word. Names of
 * fields are not searched: `name` would find every call.
 */
export function findWords(text: string): (event: Event) => boolean {
  const words = [...folded(text).matchAll(/"([^"]+)"|[^\s"]+/g)].map(([whole, quoted]) => quoted ?? whole);
  return ({ type, actor, payload }) => {
    const said = folded([type, actor, ...valuesIn(payload)].join("\n"));
    return words.every((word) => said.includes(word));
  };
}

/** The same letter may be written with one character or with two. */
function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function valuesIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return Object.values(value ?? {}).flatMap(valuesIn);
}
