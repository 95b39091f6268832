import { isJsonObject, type SessionId } from "#core/values";
import type { Event } from "./event.ts";
import type { LogReader } from "./event-log.ts";
import { parseLine } from "./line.ts";
import { firstOf } from "./narrow-event.ts";

/** A line is canonical JSON, whose last key is the type. */
const orderEnd = ',"type":"wo.started"}';

/** The order is recorded among the first events, or not at all. */
export const opening = 32;

/** The request of a session: the prompt; for a turn its query; for a worker's order its subject. */
export function recordedPrompt(events: readonly Event[]): string | null {
  const started = firstOf(events, "wo.started");
  if (!started) return null;
  const { input, title, type } = started.payload.work_order;
  const given = isJsonObject(input) ? input : {};
  const turn = isJsonObject(given["turn"]) ? given["turn"] : {};
  for (const text of [given["prompt"], turn["query"], title]) if (typeof text === "string" && text !== "") return text;
  const { objective } = given;
  return typeof objective === "string" ? `${typeof type === "string" ? `${type}: ` : ""}${objective}` : null;
}

/**
 * The same, read from the log. Null for a session that cannot be read; other commands report why. Only the line of the order is
 * proven, whose text is shown: to prove those before it too was half of what a list of fifty sessions took.
 */
export async function askedOf(session_id: SessionId, reader: Pick<LogReader, "readLines">): Promise<string | null> {
  for await (const portion of reader.readLines(session_id)) {
    if (!portion.ok) return null;
    for (const { text, number, fault } of portion.value) {
      if (fault || number > opening) return null;
      if (!text.endsWith(orderEnd)) continue;
      const line = parseLine(text);
      return line.ok ? recordedPrompt([line.value as unknown as Event]) : null;
    }
  }
  return null;
}
