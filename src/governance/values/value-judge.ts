import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { Event } from "#log";
import { explainDoubt, explainDoubts } from "./explain-doubts.ts";
import {
  isJudged,
  type JudgedCall,
  judgeValues,
  type ValueDoubt,
  type ValueJudgement,
  type ValueLabel,
} from "./judge-values.ts";
import { lineOf } from "./quote-line.ts";
import { compileRules, type ValueRules } from "./rules.ts";
import type { ValueIndex } from "./value-index.ts";

type Refusal = NonNullable<ReturnType<ValueIndex["refusal"]>>;

/** Asked about every call before it happens: what the rules say of its values, and in words why. */
export interface ValueJudge {
  judge(call: JudgedCall & { readonly call_id: string }): Promise<Result<JudgedValues | undefined>>;
  /** The question that was put to a person about these calls, as the session recorded it. */
  askedAbout(call_ids: readonly string[]): JsonObject | undefined;
}

/** Reads another session, on which the one that is judged rests. */
export type ReadSession = (session_id: string) => Promise<Result<readonly Event[]>>;

export interface JudgedValues extends ValueJudgement {
  /** For a person: each doubtful value with where it came from. */
  readonly explanation: string;
  /** The same one by one, each with the line in which the value stands. */
  readonly rows: readonly DoubtRow[];
  /** The approval by which it may happen, where a person allowed just this. */
  readonly approved?: string;
  /** A person was asked about this call and no other, or none could be. */
  readonly askedAlone?: true;
  /** It was refused before the session went on, and the record says why. */
  readonly isRecorded?: true;
}

/** A doubtful value, as a person is asked about it. */
export interface DoubtRow {
  readonly at: string;
  readonly span?: readonly [number, number];
  readonly why: string;
  readonly line?: string;
}

const alone = { askedAlone: true } as const;

/** The judge of one session. Its rules are compiled with the first act. */
export function valueJudge(index: ValueIndex, read: ReadSession): ValueJudge {
  let rules: Result<ValueRules> | undefined;
  return {
    async judge(call) {
      const { law } = index;
      if (law === undefined) return ok(undefined);
      const refused = index.refusal(call.call_id);
      if (refused) return ok({ ...asRecorded(refused), ...(refused.code === "ACT_HELD" ? {} : alone) });
      if (!isJudged(call, index)) return ok(undefined);
      await completed(index, read);
      rules ??= compileRules(law);
      if (!rules.ok) return err(domainError("POLICY_DENIED", `"${call.tool}" was not called: ${rules.error.message}`));
      const judged = judgeValues(call, index, rules.value);
      if (!judged) return ok(undefined);
      const { values, rules_hash } = judged;
      const approved = index.approvals.covers({ tool: call.tool, args: call.args, values, rules_hash });
      return ok({
        ...judged,
        explanation: explainDoubts(judged.doubts, index),
        rows: judged.doubts.map((doubt) => rowOf(doubt, index)),
        ...(approved === undefined ? {} : { approved }),
        ...(index.approvals.askedAlone(call.call_id) ? alone : {}),
      });
    },
    askedAbout: (call_ids) => index.approvals.askedAbout(call_ids),
  };
}

/** What cannot be read is missing: the index says so, and nothing is allowed without a question. */
async function completed(index: ValueIndex, read: ReadSession): Promise<void> {
  for (let wanted = index.wants; wanted !== undefined; wanted = index.wants) {
    const events = await read(wanted);
    index.give(wanted, events.ok ? events.value : undefined);
  }
}

function rowOf(doubt: ValueDoubt, index: ValueIndex): DoubtRow {
  const { label } = doubt;
  const line = lineOf(doubt, index);
  return {
    at: label?.at ?? "",
    ...(label?.span === undefined ? {} : { span: label.span }),
    why: explainDoubt(doubt, index),
    ...(line === undefined ? {} : { line }),
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
    rows: [],
    isRecorded: true,
    explanation: reason.replace(/^"[^"]*" was not called: /, ""),
  };
}
