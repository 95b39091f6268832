import type { Compiled } from "#core/expressions";
import type { JsonObject, Result, TimeSlice } from "#core/values";
import type { Policy } from "../definitions/cycle.ts";

/**
 * A policy whose rules are evaluated at a pace. A judgement is one pure piece and may ask a thousand rules about a hundred
 * findings; when a rest is due in the middle of it, it is broken off and made again from its beginning, with the answers
 * that are known already: the same questions come in the same order.
 */
export class PacedPolicy {
  readonly policy: Policy;
  readonly #pace: TimeSlice;
  readonly #known: Result<unknown>[] = [];
  #asked = 0;

  constructor(policy: Policy, pace: TimeSlice) {
    this.#pace = pace;
    this.policy = {
      ...policy,
      rules: policy.rules.map((rule) => ({ ...rule, when: this.#paced(rule.when) })),
      grade: policy.grade && this.#paced(policy.grade),
    };
  }

  /** Undefined: the pace was over before the judgement was there. */
  async judge<T>(judgement: () => T): Promise<T | undefined> {
    this.#known.length = 0;
    for (;;) {
      if (this.#pace.isOver) return undefined;
      this.#asked = 0;
      try {
        return judgement();
      } catch (thrown) {
        if (thrown !== restIsDue) throw thrown;
      }
      await this.#pace.rest();
    }
  }

  #paced(expression: Compiled): Compiled {
    return { ...expression, evaluate: (facts) => this.#answer(expression, facts) };
  }

  #answer(expression: Compiled, facts: JsonObject): Result<unknown> {
    const known = this.#known[this.#asked];
    if (known === undefined && (this.#pace.isDue || this.#pace.isOver)) throw restIsDue;
    const answer = known ?? this.#pace.measure(() => expression.evaluate(facts));
    this.#known[this.#asked] = answer;
    this.#asked += 1;
    return answer;
  }
}

const restIsDue: Error = new Error("a rest is due");
