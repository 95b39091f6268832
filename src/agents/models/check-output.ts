import { type PromptContractV1, type SchemaRegistry, validateAgainst, violationsOf } from "#core/contracts";
import { ok, parseJson, type Result } from "#core/values";
import type { Recorder } from "#log";
import { stripCodeFence } from "./strip-code-fence.ts";

/** What is wrong with an answer that its contract does not accept. */
export interface OutputProblem {
  readonly schema_id: string;
  readonly message: string;
}

/** Holds a final answer against the contract it was asked under, and writes down where it falls short. */
export function checkOutput(
  contract: PromptContractV1,
  text: string,
  { schemas, recorder, role }: { readonly schemas: SchemaRegistry; readonly recorder: Recorder; readonly role: string },
): Result<OutputProblem | null> {
  const { output_schema, contract_id } = contract;
  if (output_schema === undefined) return ok(null);
  const schema_id = typeof output_schema === "string" ? output_schema : `${contract_id}.output_schema`;
  const parsed = parseJson(stripCodeFence(text));
  const checked = parsed.ok ? validateAgainst(schemas, output_schema, schema_id, parsed.value) : parsed;
  if (checked.ok) return ok(null);
  const { message } = checked.error;
  const recorded = recorder.stage({
    type: "schema.violation",
    actor: role,
    payload: { schema_id, where: `output under ${contract_id}`, violations: violationsOf(checked.error), message },
  });
  return recorded.ok ? ok({ schema_id, message }) : recorded;
}
