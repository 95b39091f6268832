import type { NamedCase } from "./cases.ts";
import type { Desk, Played } from "./desk.ts";

/** What is kept of a played case: none of its texts. */
export interface CaseResult extends Pick<Played, "fates" | "questions" | "verified" | "reached" | "untold"> {
  readonly id: string;
}

/** Cases that were played and whose records were verified, in one workspace. */
export interface Piece {
  readonly results: readonly CaseResult[];
  readonly records: { readonly sessions: number; readonly green: number };
}

/** Each case in a session of its own. */
export async function playCases(desk: Desk, cases: readonly NamedCase[]): Promise<ReadonlyMap<string, CaseResult>> {
  const results = new Map<string, CaseResult>();
  for (const each of cases) {
    const { fates, questions, verified, reached, untold } = await desk.play(each);
    results.set(each.id, { id: each.id, fates, questions, verified, reached, untold });
  }
  return results;
}
