import type { Caller, Result } from "#base";
import type { Approval, Consequence, DecisionWish, Inbox } from "#governance";

/** The inbox together with what follows from its decisions. */
export interface Decisions {
  /** Finds what waits for people outside of sessions and finishes what only its end is missing of, so that a list is true. */
  collect(): Promise<Result<void>>;
  decide(by: Caller, approval_id: string, wish: DecisionWish): Promise<Result<Approval>>;
}

export function createDecisions(options: {
  readonly inbox: Inbox;
  /** By kind; of most kinds nothing follows but that whoever asked looks again. */
  readonly consequences: Partial<Record<Approval["kind"], Consequence>>;
  readonly collect: () => Promise<Result<void>>;
  /** Goes on with a session whose question was answered. */
  readonly goOn: (session_id: string) => void;
}): Decisions {
  const { inbox, consequences, collect, goOn } = options;
  return {
    collect,
    async decide(by, approval_id, wish) {
      const found = await inbox.find(approval_id);
      if (!found.ok) return found;
      const decided = await inbox.decide(by, approval_id, wish, consequences[found.value.kind]);
      if (decided.ok && decided.value.session_id !== null) goOn(decided.value.session_id);
      return decided;
    },
  };
}
