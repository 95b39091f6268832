import type { MandateV1 } from "#core/contracts";
import { isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { LogReader } from "#log";
import { type RightUse, UsedRights, usesOf } from "./used-rights.ts";

/** What a session's order was granted, and what it used of that. */
export interface OrderRights {
  readonly session_id: string;
  readonly work_order_id: string;
  readonly rights: readonly RightUse[];
}

/** The order of a session with the orders below it; null where no mandate is recorded, as before there were any. */
export async function readOrderRights(
  session_id: SessionId,
  reader: Pick<LogReader, "read">,
): Promise<Result<OrderRights | null>> {
  const read = await readUsedRights(session_id, reader);
  if (!read.ok) return read;
  const { mandate, used } = read.value;
  if (!mandate) return ok(null);
  return ok({ session_id, work_order_id: mandate.work_order_id, rights: usesOf(mandate, used) });
}

export interface UsedInSession {
  /** As the session recorded it. */
  readonly mandate: MandateV1 | undefined;
  readonly used: UsedRights;
}

/** Rights that a child used were used by its parent: it had them from there. */
export async function readUsedRights(
  session_id: SessionId,
  reader: Pick<LogReader, "read">,
): Promise<Result<UsedInSession>> {
  const used = new UsedRights();
  const seen = new Set<string>();
  const open: SessionId[] = [session_id];
  let mandate: MandateV1 | undefined;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    seen.add(next);
    for await (const event of reader.read(next)) {
      // A child that was announced and never began has used nothing.
      if (!event.ok && event.error.code === "NOT_FOUND" && next !== session_id) break;
      if (!event.ok) return event;
      used.see(event.value);
      const { type, payload } = event.value;
      if (type === "wo.started" && next === session_id) mandate = payload.mandate;
      const child = type === "delegation.made" ? payload.child_session_id : undefined;
      if (child !== undefined && isSessionId(child) && !seen.has(child)) open.push(child);
    }
  }
  return ok({ mandate, used });
}
