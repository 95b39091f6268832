import { isJsonObject, type SessionId } from "#core/values";
import type { Event } from "./event.ts";
import type { LogReader } from "./event-log.ts";
import { firstOf } from "./narrow-event.ts";

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

/** The same, read from the log. Null for a session that cannot be read; other commands report why. */
export async function askedOf(session_id: SessionId, reader: Pick<LogReader, "read">): Promise<string | null> {
  let read = 0;
  for await (const found of reader.read(session_id)) {
    if (!found.ok || ++read > opening) break;
    if (found.value.type === "wo.started") return recordedPrompt([found.value]);
  }
  return null;
}
