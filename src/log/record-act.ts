import { ok, type Result } from "#core/values";
import type { EventInput } from "./event.ts";
import type { EventLog } from "./event-log.ts";

/** Who acts, and on what. */
export interface Act {
  /** Takes the place of a work order: `halt`, `tool-approval`, `api-key`. */
  readonly name: string;
  readonly actor: string;
  /** The session that is meant. It has another writer, so the act is recorded in a session of its own. */
  readonly about?: string;
}

/** Records a person's act on the workspace: a short session of its own on the hot plane. Durable when it resolves. */
export async function recordAct(
  log: Pick<EventLog, "create">,
  act: Act,
  events: readonly EventInput[],
): Promise<Result<void>> {
  const created = await log.create({ tier: "hot" });
  if (!created.ok) return created;
  const session = created.value;
  const started = session.stage({
    type: "session.start",
    actor: act.actor,
    payload: {
      tier: "hot",
      work_order_id: act.name,
      ...(act.about === undefined ? {} : { parent_session_id: act.about }),
    },
  });
  if (!started.ok) return started;
  for (const event of events) {
    const recorded = session.stage(event);
    if (!recorded.ok) return recorded;
  }
  const closed = await session.close({ ok: true, status: "success" });
  return closed.ok ? ok(undefined) : closed;
}
