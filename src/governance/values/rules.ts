import { type Compiled, compileExpression } from "#core/expressions";
import { canonicalJson, err, type JsonObject, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { ValueRights } from "./declarations.ts";
import { packs, type ValueRule } from "./packs.ts";

export type ValueVerdict = ValueRule["then"];

/** What a rule decided about a value or about an act. */
export interface RuleDecision {
  readonly verdict: ValueVerdict;
  readonly reason: string;
  /** `standard[3]`, `rules[0]`; absent where no rule decided. */
  readonly rule?: string;
}

export interface ValueRules {
  /** Over the rules in their order: what a decision is bound to. */
  readonly hash: Sha256;
  decideValue(facts: JsonObject): RuleDecision;
  /** About the act itself; undefined where no rule speaks of it. */
  decideAct(facts: JsonObject): RuleDecision | undefined;
}

interface Planned {
  readonly rule: ValueRule;
  readonly name: string;
  readonly when: Compiled;
}

/** What rules over values may read. */
export const valueVariables: ReadonlySet<string> = new Set(["act", "value", "sources", "person"]);

/** Compiles a framework's own rules, then those of its pack. A rule that does not compile refuses the framework. */
export function compileRules({ pack, rules = [] }: ValueRights): Result<ValueRules> {
  const shipped = pack === "off" ? [] : packs[pack];
  const named = [
    ...rules.map((rule, index) => ({ rule, name: `rules[${index}]` })),
    ...shipped.map((rule, index) => ({ rule, name: `${pack}[${index}]` })),
  ];
  const planned: Planned[] = [];
  for (const { rule, name } of named) {
    const when = compileExpression(rule.when, valueVariables);
    if (!when.ok) return err({ ...when.error, message: `values ${name}: ${when.error.message}` });
    planned.push({ rule, name, when: when.value });
  }
  const ofValues = planned.filter(({ rule }) => rule.each === "value");
  const ofActs = planned.filter(({ rule }) => rule.each === undefined);
  return ok({
    hash: sha256(canonicalJson(named.map(({ rule }) => ({ ...rule })))),
    decideValue: (facts) => firstOf(ofValues, facts) ?? { verdict: "ask", reason: "no rule knows this value" },
    decideAct: (facts) => firstOf(ofActs, facts),
  });
}

/** The first rule that holds. One that cannot be evaluated asks: what it would have said is unknown. */
function firstOf(rules: readonly Planned[], facts: JsonObject): RuleDecision | undefined {
  for (const { rule, name, when } of rules) {
    const held = when.evaluate(facts);
    if (!held.ok)
      return { verdict: "ask", rule: name, reason: `the rule could not be evaluated: ${held.error.message}` };
    if (held.value === true) return { verdict: rule.then, rule: name, reason: rule.reason };
  }
  return undefined;
}
