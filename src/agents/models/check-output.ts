import { type PromptContractV1, type SchemaRegistry, violationsOf } from "#core/contracts";
import { type JsonValue, ok, type Result } from "#core/values";
import type { Recorder } from "#log";
import { contractOf } from "./reader/contract-of.ts";
import { type ReadAnswer, readAnswer } from "./reader/reader.ts";
import { recordRead } from "./reader/record-read.ts";

/** What is wrong with an answer that its contract does not accept. */
export interface OutputProblem {
  readonly schema_id: string;
  readonly message: string;
  /** What stood there, cut; absent in older records. */
  readonly found?: string;
}

/** An answer as its contract reads it, or where it falls short; neither where the contract asks for no form. */
export interface CheckedOutput {
  readonly read?: ReadAnswer;
  readonly problem?: OutputProblem;
}

/** What an answer is held to beyond its form: the answer as it stands then, and what of it was put right. */
export type AnswerRule = (schema_id: string, value: JsonValue) => Result<ReadAnswer>;

/** Reads a final answer under the contract that it was asked under, and records where it falls short. */
export function checkOutput(
  contract: PromptContractV1,
  answer: { readonly request_id: string; readonly text: string },
  {
    schemas,
    recorder,
    role,
    answerRule,
  }: {
    readonly schemas: SchemaRegistry;
    readonly recorder: Recorder;
    readonly role: string;
    readonly answerRule?: AnswerRule;
  },
): Result<CheckedOutput> {
  const { output_schema, contract_id } = contract;
  if (output_schema === undefined) return ok({});
  const schema_id = typeof output_schema === "string" ? output_schema : `${contract_id}.output_schema`;
  const wanted = contractOf(schemas, output_schema, schema_id);
  const formed = wanted.ok ? readAnswer(answer.text, wanted.value) : wanted;
  const read = formed.ok && answerRule ? holdTo(answerRule, schema_id, formed.value) : formed;
  if (read.ok) {
    const recorded = recordRead(recorder, { ...answer, role, schema_id }, read.value);
    return recorded.ok ? ok({ read: read.value }) : recorded;
  }
  const { message, details } = read.error;
  const recorded = recorder.stage({
    type: "schema.violation",
    actor: role,
    payload: { schema_id, where: `output under ${contract_id}`, violations: violationsOf(read.error), message },
  });
  const found = typeof details["found"] === "string" ? { found: details["found"] } : {};
  return recorded.ok ? ok({ problem: { schema_id, message, ...found } }) : recorded;
}

function holdTo(rule: AnswerRule, schema_id: string, { value, steps }: ReadAnswer): Result<ReadAnswer> {
  const held = rule(schema_id, value);
  return held.ok ? ok({ value: held.value.value, steps: [...steps, ...held.value.steps] }) : held;
}
