import { isJsonObject, type JsonObject } from "#core/values";
import type { ProviderCall } from "../../provider.ts";

const block = /(?:^|\n)```json\n(\{.*\})\n```/g;

/** What the order handed in: the last block of JSON in the first message of the person, as `{{input}}` puts it there. */
export function handedInput({ request }: ProviderCall): JsonObject {
  const messages = request.messages as readonly { role: string; content: string }[];
  const first = messages.find(({ role }) => role === "user");
  const found = [...(first?.content ?? "").matchAll(block)].at(-1)?.[1];
  if (found === undefined) return {};
  return JSON.parse(found) as JsonObject; // the flow wrote it
}

/** The results of the tools that were called so far, oldest first. */
export function toolResults({ request }: ProviderCall): readonly unknown[] {
  const messages = request.messages as readonly { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => resultIn(content));
}

function resultIn(content: string): unknown {
  const value = objectIn(content);
  return value && "result" in value ? value["result"] : (value ?? content);
}

/** An object, or the object that a text is in JSON; undefined for prose, also for prose that begins with a brace. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "string") return isJsonObject(value) ? value : undefined;
  if (!value.startsWith("{")) return undefined;
  try {
    const read: unknown = JSON.parse(value);
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined; // prose that begins with a brace
  }
}
