import type { Answer } from "#core/values";

/** The kill switch: halts that stand. */
export interface HaltStore {
  /** Orders a stop: of a session, or of everything (null). Ordered twice, the first stands, unless this one replaces it. */
  halt(halt: Omit<StandingHalt, "halted_at">, how?: { readonly replaces: boolean }): Answer<void>;
  /** Ends these stops, as they were read: one that was ordered anew since stands. Answers how many there were. */
  liftHalts(halts: readonly Pick<StandingHalt, "session_id" | "by" | "halted_at">[]): Answer<number>;
  halts(): Answer<readonly StandingHalt[]>;
}

export interface StandingHalt {
  readonly session_id: string | null;
  readonly by: string;
  readonly reason: string;
  readonly halted_at: string;
  /** What they may do who ordered it; null where an earlier Writ did not record that. */
  readonly grants: readonly string[] | null;
}
