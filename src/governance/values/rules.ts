import { type Compiled, compileExpression } from "#core/expressions";
import {
  canonicalJson,
  err,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ok,
  type Result,
  type Sha256,
  sha256,
} from "#core/values";
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
    decideValue: remembering(ofValues, (facts) => firstOf(ofValues, facts) ?? unknown),
    decideAct: (facts) => firstOf(ofActs, facts),
  });
}

const unknown: RuleDecision = { verdict: "ask", reason: "no rule knows this value" };
const mostRemembered = 1_000;

/**
 * Rules are pure, so what they read decides. Most values of a session are alike to them (an address from the directory, a
 * title of the person's words): evaluating the same rules again took three quarters of the time of an act.
 */
function remembering(rules: readonly Planned[], decide: (facts: JsonObject) => RuleDecision) {
  const paths = rules.flatMap(({ when }) => when.reads.map(({ path }) => path));
  const decided = new Map<string, RuleDecision>();
  return (facts: JsonObject): RuleDecision => {
    const key = JSON.stringify(paths.map((path) => valueAt(facts, path) ?? { absent: true }));
    const known = decided.get(key);
    if (known) return known;
    const decision = decide(facts);
    if (decided.size >= mostRemembered) decided.clear();
    decided.set(key, decision);
    return decision;
  };
}

/** As deep as a path leads; where it leads on into a list or a text, all of that. */
function valueAt(facts: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = facts;
  for (const name of path) {
    if (name === "*" || !isJsonObject(value)) return value;
    value = value[name];
  }
  return value;
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
