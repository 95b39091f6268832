import { type DomainError } from "#core/errors";
import { err, ok, unstorable } from "#core/values";
import type { Command } from "../commands.ts";
import { findUnstorableField } from "../find-unstorable-field.ts";
import type { CommitReport, KernelStore } from "./port.ts";

/** Commits the commands that can be stored and refuses the others individually, so that one bad text does not fail the batch. */
export function commitStorable(commit: KernelStore["commit"]): KernelStore["commit"] {
  return (commands) => {
    const refused = new Map<number, DomainError>();
    for (const [index, command] of commands.entries()) {
      const field = findUnstorableField(command);
      if (field !== undefined) refused.set(index, unstorable(`${field} of ${command.kind}`));
    }
    return refused.size === 0 ? commit(commands) : commitRest(commit, commands, refused);
  };
}

async function commitRest(
  commit: KernelStore["commit"],
  commands: readonly Command[],
  refused: ReadonlyMap<number, DomainError>,
): ReturnType<KernelStore["commit"]> {
  const kept = commands.filter((_, index) => !refused.has(index));
  const report = kept.length > 0 ? await commit(kept) : ok(nothing);
  if (!report.ok) return report;
  const answers = report.value.results.values();
  const results = commands.map((_, index): Verdict => {
    const refusal = refused.get(index);
    return refusal ? err(refusal) : (answers.next().value as Verdict);
  });
  return ok({ results, wake: report.value.wake });
}

type Verdict = CommitReport["results"][number];

const nothing: CommitReport = {
  results: [],
  wake: { capabilities: new Set(), apps: new Set(), runs: new Set() },
};
