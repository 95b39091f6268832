import { err, ok, type Result, type SessionId } from "#core/values";
import type { EventLog } from "#log";
import { type Act, recordAct } from "#log";
import { type HaltCaller, isRaised, mayLift, outranked } from "./halt-rank.ts";
import type { HaltStore, StandingHalt } from "./store/halt-store.ts";

/** What the record of an act says that ended every halt there was, not only that of everything. */
export const everyHaltLifted = "every halt was lifted";

/** What an act of the kill switch stands under, in the place of a work order. */
export const haltAct = "halt";

/** The kill switch, as a person holds it. Each act is an event on the hot plane; what it stops records it as well. */
export interface HaltControl {
  /** Halts a session, or everything (null). By a caller of a higher rank than one that stands, it becomes theirs. */
  halt(session_id: SessionId | null, reason: string, by?: string | HaltCaller): Promise<Result<void>>;
  /**
   * Lifts the halt of a session, of everything (null), or all there are; answers how many stood. Refused, all of it, where
   * one of them was set by a caller who may do more.
   */
  liftHalt(session_id?: SessionId | null, by?: string | HaltCaller): Promise<Result<number>>;
  halts(): Promise<Result<readonly StandingHalt[]>>;
}

export interface HaltSources {
  readonly store: HaltStore;
  readonly log: Pick<EventLog, "create">;
  /** The person at this machine. */
  readonly caller: string;
  readonly localCaller: () => Result<HaltCaller>;
}

export function haltControl({ store, log, caller, localCaller }: HaltSources): HaltControl {
  return {
    async halt(session_id, reason, who) {
      // To stop is never refused: a caller whose rank cannot be read orders with the highest.
      const local = callerOf(who, localCaller);
      const { id: by, grants } = local.ok ? local.value : { id: caller, grants: ["*"] };
      const before = await store.halts();
      const standing = before.ok ? before.value.find((each) => each.session_id === session_id) : undefined;
      // The switch first: stopping must not wait for the log.
      const replaces = standing !== undefined && isRaised(standing, grants);
      const halted = await store.halt({ session_id, by, reason, grants }, { replaces });
      if (!halted.ok) return halted;
      const scope = session_id === null ? ("workspace" as const) : ("session" as const);
      return recordAct(log, actOf(session_id), [
        {
          type: "session.halted",
          actor: by,
          payload: { by, reason: named(reason, session_id), scope, grants: [...grants] },
        },
      ]);
    },
    async liftHalt(session_id, who) {
      const lifting = callerOf(who, localCaller);
      if (!lifting.ok) return lifting;
      const by = lifting.value.id;
      const all = await store.halts();
      if (!all.ok) return all;
      const meant = session_id === undefined ? all.value : all.value.filter((each) => each.session_id === session_id);
      const above = meant.find((each) => !mayLift(lifting.value, each));
      if (above) return err(outranked(lifting.value, above));
      const lifted = await store.liftHalts(meant);
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

/** A name alone acts with the rights of the person at this machine. */
function callerOf(who: string | HaltCaller | undefined, local: HaltSources["localCaller"]): Result<HaltCaller> {
  if (typeof who === "object") return ok(who);
  const here = local();
  return here.ok && who !== undefined ? ok({ id: who, grants: here.value.grants }) : here;
}

/** The reason as it is recorded: the session that is meant stands before it. */
function named(reason: string, session_id: SessionId | null | undefined): string {
  return session_id == null ? reason : `${session_id}: ${reason}`;
}

function actOf(session_id: SessionId | null | undefined): Act {
  return { name: haltAct, actor: haltAct, ...(session_id == null ? {} : { about: session_id }) };
}
