import type { JsonObject } from "#core/values";
import type { Cycle, Policy, Rule } from "../definitions/cycle.ts";
import type { Problem } from "../definitions/problem.ts";
import { isTrue, withParameters } from "../policies/decision.ts";
import { policyKinds } from "../policies/policy-kinds.ts";
import { settledValue } from "./ways.ts";

/**
 * Rules that can never decide. Where what a rule reads has few values (severity, fix, confidence, mode, the personas there
 * are), all of them are tried; where it has many, only what is constant is known.
 */
export function checkPolicies(cycles: readonly Cycle[]): readonly Problem[] {
  const users = new Map<Policy, Cycle[]>();
  for (const cycle of cycles)
    for (const policy of [...cycle.policies, ...cycle.phases.flatMap((phase) => phase.policies)])
      users.set(policy, [...(users.get(policy) ?? []), cycle]);
  return [...users].flatMap(([policy, by]) => checkPolicy(policy, by));
}

function checkPolicy(policy: Policy, cycles: readonly Cycle[]): readonly Problem[] {
  const { definition } = policy;
  const cases = policyKinds[policy.kind].check.cases(cycles);
  const dead: number[] = [];
  let closed = false;
  for (const [index, rule] of policy.rules.entries()) {
    if (closed || !canHold(policy, rule, cases)) dead.push(index);
    if (settledValue(rule.when) === true && rule.personas === null && rule.mode === null) closed = true;
  }
  if (dead.length > 0 && dead.length === policy.rules.length)
    return [
      {
        file: definition.file,
        line: definition.lineOf("$.rules"),
        rule: "never-matches",
        message: `no rule of ${policy.id} can ever match: its default (${policy.default}) always decides`,
        hint: "mend the rules, or leave the policy out",
      },
    ];
  return dead.map((index) => ({
    file: definition.file,
    line: definition.lineOf(`$.rules[${index}]`),
    rule: "never-matches",
    message: `rule ${index + 1} of ${policy.id} can never decide: ${closed ? "it is never true, or a rule before it always is" : "it is never true"}`,
    hint: "mend its condition, move it up, or take it out",
  }));
}

const listed: Readonly<Record<string, readonly string[] | "all">> = {
  finding: ["severity", "autofix_class", "confidence", "pre_existing", "resolved"],
  persona: "all",
  mode: "all",
  parameters: "all",
};

function canHold(policy: Policy, rule: Rule, cases: readonly JsonObject[]): boolean {
  const { when, personas, mode } = rule;
  if (settledValue(when) === false) return false;
  const known = when.reads.every(({ path: [root = "", field = ""] }) => {
    const names = listed[root];
    return names === "all" || (names?.includes(field) ?? false);
  });
  const applies = cases.filter((each) => {
    const persona = (each["persona"] as JsonObject | undefined)?.["id"];
    return (
      (personas === null || (typeof persona === "string" && personas.includes(persona))) &&
      (mode === null || each["mode"] === undefined || each["mode"] === mode)
    );
  });
  if (applies.length === 0) return false;
  if (!known) return true;
  return applies.some((each) => {
    const held = isTrue(when, withParameters(policy, each));
    return held.ok && held.value;
  });
}
