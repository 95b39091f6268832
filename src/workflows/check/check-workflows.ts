import type { SchemaRegistry } from "#core/contracts";
import { byPlace, type Problem } from "../definitions/problem.ts";
import type { Inspection } from "../definitions/registry.ts";
import { checkPolicies } from "./check-policies.ts";
import { checkReads } from "./check-reads.ts";
import { checkWays } from "./check-ways.ts";

/** All problems of a workspace's workflows: those that prevent registration, and those that would surprise the person who runs them. */
export function checkWorkflows({ problems, cycles, index }: Inspection, schemas: SchemaRegistry): readonly Problem[] {
  const all = [...cycles.values()];
  const asked = new Set(all.flatMap((cycle) => cycle.definitions.map(({ file }) => file)));
  const unasked = [...index.policies.values()]
    .flat()
    .filter(({ origin, file }) => origin === "workspace" && !asked.has(file) && problems.length === 0)
    .map(
      (policy): Problem => ({
        file: policy.file,
        line: 1,
        rule: "never-matches",
        message: `no cycle asks the policy ${policy.id}, so none of its rules ever decides`,
        hint: "name it in the policies of a cycle or a phase, or take it out",
      }),
    );
  return [
    ...problems,
    ...all.flatMap((cycle) => [...checkWays(cycle), ...checkReads(cycle, schemas)]),
    ...checkPolicies(all),
    ...unasked,
  ].toSorted(byPlace);
}
