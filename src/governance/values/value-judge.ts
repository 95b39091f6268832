import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { explainDoubts } from "./explain-doubts.ts";
import { type JudgedCall, judgeValues, type ValueJudgement, type ValueLabel } from "./judge-values.ts";
import { compileRules, type ValueRules } from "./rules.ts";
import type { ValueIndex } from "./value-index.ts";

type Refusal = NonNullable<ReturnType<ValueIndex["refusal"]>>;

/** Asked about every call before it happens: what the rules say of its values, and in words why. */
export interface ValueJudge {
  judge(call: JudgedCall & { readonly call_id: string }): Result<JudgedValues | undefined>;
}

export interface JudgedValues extends ValueJudgement {
  /** For a person: each doubtful value with where it came from. */
  readonly explanation: string;
}

/** The judge of one session. Its rules are compiled with the first act. */
export function valueJudge(index: ValueIndex): ValueJudge {
  let rules: Result<ValueRules> | undefined;
  return {
    judge(call) {
      const { rights } = index;
      if (rights === undefined) return ok(undefined);
      const refused = index.refusal(call.call_id);
      if (refused) return ok(asRecorded(refused));
      rules ??= compileRules(rights);
      if (!rules.ok) return err(domainError("POLICY_DENIED", `"${call.tool}" was not called: ${rules.error.message}`));
      const judged = judgeValues(call, index, rules.value);
      return ok(judged && { ...judged, explanation: explainDoubts(judged.doubts, index) });
    },
  };
}

function asRecorded({ values = [], verdict = "deny", rule, rules_hash = "", reason }: Refusal): JudgedValues {
  return {
    values: values as unknown as readonly ValueLabel[],
    verdict,
    ...(rule === undefined ? {} : { rule }),
    rules_hash,
    reason,
    doubts: [],
    explanation: reason.replace(/^"[^"]*" was not called: /, ""),
  };
}
