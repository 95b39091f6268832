import { isJsonObject, type JsonObject } from "#base";
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
  if (!content.startsWith("{")) return content;
  try {
    const value: unknown = JSON.parse(content);
    return isJsonObject(value) && "result" in value ? value["result"] : value;
  } catch {
    return content; // prose that begins with a brace
  }
}
