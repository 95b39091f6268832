import type { Compiled } from "#core/expressions";
import type { JsonObject, Result } from "#core/values";
import type { Policy, PolicyOutcome, Rule } from "../definitions/cycle.ts";

/** What a policy said about one thing. */
export interface PolicyDecision {
  readonly policy: Policy;
  readonly decision: PolicyOutcome;
  readonly reason: string;
  /** Position of the rule; null: the default. */
  readonly rule: number | null;
  /** What was judged: a finding's fingerprint, a persona's id; null: the phase. */
  readonly subject: string | null;
  /** Expressions that could not be evaluated on the way. */
  readonly failures: readonly SignalFailure[];
}

export interface SignalFailure {
  /** `policies/gate rules[0]`, `phases/review advance_signal`. */
  readonly signal: string;
  readonly expression: string;
  readonly message: string;
}

/** Only true is true: an error, a number or a text passes no gate. */
export function isTrue(expression: Compiled, facts: JsonObject): Result<boolean> {
  const value = expression.evaluate(facts);
  return value.ok ? { ok: true, value: value.value === true } : value;
}

/**
 * Rules in order; the first that is true decides. A rule that cannot be evaluated denies: what it would have forbidden is
 * unknown. Nothing matched: the default, and without one deny.
 */
export function decide(
  policy: Policy,
  facts: JsonObject,
  options: { readonly subject?: string; readonly applies?: (rule: Rule) => boolean } = {},
): PolicyDecision {
  const subject = options.subject ?? null;
  for (const [index, rule] of policy.rules.entries()) {
    if (options.applies && !options.applies(rule)) continue;
    const held = isTrue(rule.when, facts);
    if (!held.ok) {
      const failure = {
        signal: `policies/${policy.id} rules[${index}]`,
        expression: rule.when.text,
        message: held.error.message,
      };
      const reason = `its rule ${index + 1} could not be evaluated: ${held.error.message}`;
      return { policy, decision: "deny", reason, rule: index, subject, failures: [failure] };
    }
    if (held.value) return { policy, decision: rule.then, reason: rule.reason, rule: index, subject, failures: [] };
  }
  const absent = policy.definition.data.default === undefined;
  const reason = absent ? "no rule matched, and without a default that is a denial" : "no rule matched: the default";
  return { policy, decision: policy.default, reason, rule: null, subject, failures: [] };
}

/** The variables that a policy's own rules have besides the facts. */
export function withParameters(policy: Policy, facts: JsonObject, more: JsonObject = {}): JsonObject {
  const { max_generations, oscillation_window, min_confidence } = policy.definition.data.parameters ?? {};
  const parameters = {
    ...(max_generations === undefined ? {} : { max_generations }),
    ...(oscillation_window === undefined ? {} : { oscillation_window }),
    ...(min_confidence === undefined ? {} : { min_confidence }),
  };
  return { ...facts, ...more, parameters };
}
