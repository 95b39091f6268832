import { invariant, type Result } from "#core/values";
import type { Command, CommandKind, Outcomes } from "../commands.ts";

/** The answer to one command of a batch. */
export type Verdict = Result<Outcomes[CommandKind]>;

/** The verdict of a batch of one. */
export function onlyVerdict(verdicts: readonly (Verdict | undefined)[]): Verdict {
  const [verdict] = verdicts;
  invariant(verdict, "every command has its verdict");
  return verdict;
}

/** Whether the store looks for what the command is about, among all runs. */
export function choosesRows({ kind }: Command): boolean {
  return kind === "claim_work" || kind === "claim_turn" || kind === "sweep";
}
