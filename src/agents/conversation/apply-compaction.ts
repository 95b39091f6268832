import type { EventPayloads } from "#core/contracts";
import type { Message } from "./conversation.ts";

const digestWords = "earlier messages were shortened to this digest";
const wordsBegin = "\n## What the person said\n";
const workBegins = "\n## What was done\n";
/** A result that is not longer than this is left as it is. */
const shortResult = 400;
/** What a digest shows of a message that no model summed up. */
const excerpt = 240;

/** What a compaction leaves of a conversation, from its record: the same when it is made and whenever it is read. */
export function applyCompaction(
  messages: readonly Message[],
  { removed, stubbed, summary = "" }: Pick<EventPayloads["context.compacted"], "removed" | "stubbed" | "summary">,
): readonly Message[] {
  if (stubbed !== undefined) return messages.map((message, index) => (index < stubbed ? stubOf(message) : message));
  const start = openingLength(messages);
  return [...messages.slice(0, start), { role: "user", content: summary }, ...messages.slice(start + removed)];
}

/** The system prompt, what was read and the first request: these stay. */
export function openingLength(messages: readonly Message[]): number {
  let start = messages[0]?.role === "system" ? 1 : 0;
  while (messages[start]?.role === "user" && !isDigest(messages[start])) start++;
  return start;
}

/** Messages in short: the person's own word for word, and the rest as it was summed up, or else as the beginning of each. */
export function digestOf(removed: readonly Message[], summed: string): string {
  const said = removed.flatMap(wordsOf).map((words) => `- ${words}`);
  const done = removed
    .filter(({ role }) => role !== "user")
    .map(({ role, name, content }) => `- ${name ?? role}: ${content.replaceAll(/\s+/g, " ").slice(0, excerpt)}`);
  const before = removed.flatMap(workOf);
  const work = summed === "" ? [...before, ...done].join("\n") : summed;
  return `${removed.length} ${digestWords}; the log holds them in full.\n${wordsBegin}${said.join("\n")}\n${workBegins}${work}`;
}

/** A digest may become part of the next one. */
function isDigest(message: Message | undefined): boolean {
  return message !== undefined && /^\d+ /.test(message.content) && message.content.includes(digestWords);
}

function wordsOf(message: Message): readonly string[] {
  if (message.role !== "user") return [];
  if (!isDigest(message)) return [message.content];
  const said = message.content.split(wordsBegin)[1]?.split(workBegins)[0]?.trim() ?? "";
  return said === "" ? [] : [said.replace(/^- /, "")];
}

function workOf(message: Message): readonly string[] {
  if (!isDigest(message)) return [];
  return [message.content.split(workBegins)[1] ?? message.content];
}

function stubOf(message: Message): Message {
  if (message.role !== "tool" || message.content.length <= shortResult) return message;
  const rest = `artifact:${message.tool_call_id ?? ""}`;
  return { ...message, content: JSON.stringify({ result: "left out to save room", rest }) };
}
