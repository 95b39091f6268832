import { isSessionId, ok, type Result } from "#core/values";
import type { Event, EventLog } from "#log";
import type { CallBelow } from "../flow/flow.ts";
import { readEvents } from "./read-events.ts";

/**
 * The calls that the orders below a stopped flow made, as their sessions record them: its tool permissions are shared by all
 * of them, so it goes on with what is left. Orders that were announced and never began have none.
 */
export async function callsBelow(
  log: Pick<EventLog, "read" | "locate">,
  events: readonly Event[],
  level = 1,
): Promise<Result<readonly CallBelow[]>> {
  const calls: CallBelow[] = [];
  for (const { type, payload } of events) {
    const child = type === "delegation.made" ? payload.child_session_id : undefined;
    if (child === undefined || !isSessionId(child)) continue;
    const place = await log.locate(child);
    if (!place.ok && place.error.code === "NOT_FOUND") continue;
    const below = place.ok ? await readEvents(log, child) : place;
    if (!below.ok) return below;
    for (const event of below.value)
      if (event.type === "tool.invoke" && event.payload.attempt === 1) calls.push({ invoke: event.payload, level });
    const deeper = await callsBelow(log, below.value, level + 1);
    if (!deeper.ok) return deeper;
    calls.push(...deeper.value);
  }
  return ok(calls);
}
