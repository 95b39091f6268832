import type { Answers } from "../../../src/log/answers/answers.ts";
import type { Approval, Event, SessionInfo, SessionSnapshotV1, SessionState } from "../api/types.ts";

/** The first screen of a session in one answer. */
export interface Opening {
  readonly info: SessionInfo;
  readonly asked: string | null;
  readonly caller_id: string | null;
  readonly waiting: readonly Approval[];
  readonly first: readonly Event[];
  /** Null where the session is long: it is asked for while the page is already read. */
  readonly outline: Outline | null;
  readonly state: SessionState;
  readonly halted: Halted | null;
}

export interface Halted {
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

/** What a session adds up to. */
export interface Outline {
  /** With the first tool calls only. */
  readonly snapshot: SessionSnapshotV1;
  readonly tool_calls: number;
  readonly trouble: readonly number[];
  readonly idle: readonly { readonly seq: number; readonly ms: number }[];
  readonly denied: number;
  readonly budget: readonly BudgetPoint[];
  readonly fragments: readonly Fragment[];
  readonly answers: Answers;
  readonly state: SessionState;
  readonly halted: Halted | null;
}

export interface BudgetPoint {
  readonly seq: number;
  readonly ts: string;
  readonly left: number;
}

export interface Fragment {
  readonly seq: number;
  readonly origin: string;
  readonly trust: string;
  readonly stage: string;
  readonly tokens: number;
  readonly hash: string;
}
