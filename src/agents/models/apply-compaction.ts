import type { EventPayloads } from "#core/contracts";
import type { Message } from "./conversation.ts";

const digestWords = "earlier messages were shortened to this digest";

/** What a compaction leaves of a conversation, from its record: the same when it is made and whenever it is read. */
export function applyCompaction(
  messages: readonly Message[],
  { removed, summary = "" }: Pick<EventPayloads["context.compacted"], "removed" | "summary">,
): readonly Message[] {
  const start = openingLength(messages);
  return [...messages.slice(0, start), { role: "user", content: summary }, ...messages.slice(start + removed)];
}

/** The system prompt, what was read and the first request: these stay. */
export function openingLength(messages: readonly Message[]): number {
  let start = messages[0]?.role === "system" ? 1 : 0;
  while (messages[start]?.role === "user" && !isDigest(messages[start])) start++;
  return start;
}

export function digestOf(removed: readonly Message[], excerpt: number): string {
  const lines = removed.map(
    ({ role, name, content }) => `- ${name ?? role}: ${content.replaceAll(/\s+/g, " ").slice(0, excerpt)}`,
  );
  return `${removed.length} ${digestWords}; the log holds them in full.\n${lines.join("\n")}`;
}

/** A digest may become part of the next one. */
function isDigest(message: Message | undefined): boolean {
  return message !== undefined && /^\d+ /.test(message.content) && message.content.includes(digestWords);
}
