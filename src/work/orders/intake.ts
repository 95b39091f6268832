import { type DomainError } from "#core/errors";
import { ok, type Result } from "#core/values";
import type { Event, EventLog, SessionLog } from "#log";
import type { Intake } from "../flow/flow.ts";

export interface OpenIntake extends Intake {
  close(): Promise<Result<void>>;
}

/** The log on `hot` for orders that never got a session: one per process, opened when the first of them is refused. */
export function createIntake(log: EventLog): OpenIntake {
  let opening: Promise<Result<SessionLog>> | undefined;

  const open = async (): Promise<Result<SessionLog>> => {
    const created = await log.create({ tier: "hot" });
    if (!created.ok) return created;
    const started = await created.value.append({
      type: "session.start",
      actor: "intake",
      payload: { tier: "hot", work_order_id: "intake" },
    });
    return started.ok ? created : started;
  };
  return {
    async reject({ work_order_id, caller_id, error, request_hash }): Promise<Result<Event<"wo.rejected">>> {
      opening ??= open();
      const session = await opening;
      if (!session.ok) {
        opening = undefined; // the next refusal tries again
        return session;
      }
      return session.value.append({
        type: "wo.rejected",
        actor: "intake",
        payload: { work_order_id, caller_id, error: entry(error), request_hash },
      });
    },
    async close() {
      const session = await opening;
      if (!session?.ok) return ok(undefined);
      const closed = await session.value.close({ ok: true, status: "success", reason: "the process ended" });
      return closed.ok ? ok(undefined) : closed;
    },
  };
}

function entry(error: DomainError) {
  return { code: error.code, message: error.message };
}
