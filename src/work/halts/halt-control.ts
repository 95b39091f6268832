import type { Result, SessionId } from "#core/values";
import type { EventLog } from "#log";
import { type Act, recordAct } from "#log";
import type { HaltStore, StandingHalt } from "./store/halt-store.ts";

/** What the record of an act says that ended every halt there was, not only that of everything. */
export const everyHaltLifted = "every halt was lifted";

/** What an act of the kill switch stands under, in the place of a work order. */
export const haltAct = "halt";

/** The kill switch, as a person holds it. Each act is an event on the hot plane; what it stops records it as well. */
export interface HaltControl {
  /** Halts a session, or everything (null). */
  halt(session_id: SessionId | null, reason: string, by?: string): Promise<Result<void>>;
  /** Lifts the halt of a session, of everything (null), or all there are; answers how many stood. */
  liftHalt(session_id?: SessionId | null, by?: string): Promise<Result<number>>;
  halts(): Promise<Result<readonly StandingHalt[]>>;
}

export function haltControl(store: HaltStore, log: Pick<EventLog, "create">, caller: string): HaltControl {
  return {
    async halt(session_id, reason, by = caller) {
      // The switch first: stopping must not wait for the log.
      const halted = await store.halt({ session_id, by, reason });
      if (!halted.ok) return halted;
      const scope = session_id === null ? ("workspace" as const) : ("session" as const);
      return recordAct(log, actOf(session_id), [
        { type: "session.halted", actor: by, payload: { by, reason: named(reason, session_id), scope } },
      ]);
    },
    async liftHalt(session_id, by = caller) {
      const lifted = await store.liftHalt(session_id);
      if (!lifted.ok || lifted.value === 0) return lifted;
      const reason = named(session_id === undefined ? everyHaltLifted : "the halt was lifted", session_id);
      const recorded = await recordAct(log, actOf(session_id), [
        { type: "session.resumed", actor: by, payload: { from_seq: 0, by, reason } },
      ]);
      return recorded.ok ? lifted : recorded;
    },
    halts: async () => store.halts(),
  };
}

/** The reason as it is recorded: the session that is meant stands before it. */
function named(reason: string, session_id: SessionId | null | undefined): string {
  return session_id == null ? reason : `${session_id}: ${reason}`;
}

function actOf(session_id: SessionId | null | undefined): Act {
  return { name: haltAct, actor: haltAct, ...(session_id == null ? {} : { about: session_id }) };
}
