import type { Answer } from "#core/values";

/** The kill switch: halts that stand. */
export interface HaltStore {
  /** Orders a stop: of a session, or of everything (null). Ordered twice, the first stands. */
  halt(halt: Omit<StandingHalt, "halted_at">): Answer<void>;
  /** Ends a stop; undefined ends all of them. Answers how many there were. */
  liftHalt(session_id: string | null | undefined): Answer<number>;
  halts(): Answer<readonly StandingHalt[]>;
}

export interface StandingHalt {
  readonly session_id: string | null;
  readonly by: string;
  readonly reason: string;
  readonly halted_at: string;
}
