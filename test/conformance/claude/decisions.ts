/** What becomes of a call: `rewrite` is that other arguments run. */
export type Outcome = "allow" | "rewrite" | "ask" | "deny";

const strictness: Readonly<Record<Outcome, number>> = { allow: 0, rewrite: 1, ask: 2, deny: 3 };

export type Score = "same" | "stricter" | "looser";

/** Writ's decision beside the one that Claude Code documents. */
export function scoreOf(documented: Outcome, found: Outcome): Score {
  if (documented === found) return "same";
  return strictness[found] > strictness[documented] ? "stricter" : "looser";
}

export function strictest(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce<Outcome>((most, each) => (strictness[each] > strictness[most] ? each : most), "allow");
}

export interface Row {
  /** The program, the settings or the file that it is about. */
  readonly of: string;
  readonly about: string;
  readonly documented: Outcome;
  readonly found: Outcome;
  readonly score: Score;
  readonly reason: string;
}

export function row(of: string, about: string, [documented, found]: readonly [Outcome, Outcome], reason: string): Row {
  return { of, about, documented, found, score: scoreOf(documented, found), reason };
}
