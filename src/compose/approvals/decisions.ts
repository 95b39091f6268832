import { type JsonValue, ok, type Result } from "#base";
import type { Approval, Caller, Inbox } from "#governance";

/** What follows when something of a kind was decided; most kinds wait for whoever asked to look again. */
export type Consequence = (approval: Approval, by: Caller) => Promise<Result<void>>;

/** The inbox together with what follows from its decisions. */
export interface Decisions {
  /** Finds what waits for people outside of sessions, so that a list is complete. */
  collect(): Promise<Result<void>>;
  decide(
    by: Caller,
    approval_id: string,
    wish: {
      readonly choice: string;
      readonly subject_hash: string;
      readonly reason: string;
      readonly result?: JsonValue;
    },
  ): Promise<Result<Approval>>;
}

export function createDecisions(options: {
  readonly inbox: Inbox;
  readonly consequences: Partial<Record<Approval["kind"], Consequence>>;
  readonly collect: () => Promise<Result<void>>;
  /** Goes on with a session whose question was answered. */
  readonly goOn: (session_id: string) => void;
}): Decisions {
  const { inbox, consequences, collect, goOn } = options;
  return {
    collect,
    async decide(by, approval_id, wish) {
      const decided = await inbox.decide(by, approval_id, wish);
      if (!decided.ok) return decided;
      const approval = decided.value;
      const followed = (await consequences[approval.kind]?.(approval, by)) ?? ok(undefined);
      if (!followed.ok) return followed;
      if (approval.session_id !== null) goOn(approval.session_id);
      return decided;
    },
  };
}
