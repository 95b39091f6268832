import type { SchemaRegistry } from "#core/contracts";
import { isJsonObject } from "#core/values";
import type { AnswerForm, PromptAuthor } from "../prompt.ts";

/**
 * Members that a role's frozen contract leaves open and that its prompt speaks of. A strict mode forbids what a schema does not
 * name, so they are named where it is asked for.
 */
const openMembers: Readonly<Record<string, (schema: Schema) => Schema>> = {
  plan_v1: (schema) => withMember(schema, ["steps", "items"], "role", { enum: ["worker", "scaffolder"] }),
  lead_directive_v1: (schema) => withMember(schema, [], "cycle", { type: "string" }),
};

type Schema = Readonly<Record<string, unknown>>;

/**
 * The form in which an answer is asked for: the framework's contract of the call first, then what the speaker answers with.
 * Undefined where the answer is text, or where its contract is not known: then the answer is read and refused as before.
 */
export function answerForm(
  schemas: SchemaRegistry,
  { inForce }: Pick<PromptAuthor, "inForce">,
  asked: { readonly contract_id: string | null; readonly answers?: string | object | undefined },
): AnswerForm | undefined {
  const contract = inForce.contracts.find(({ contract_id }) => contract_id === asked.contract_id);
  const wanted = contract?.output_schema ?? asked.answers;
  if (wanted === undefined) return undefined;
  if (typeof wanted !== "string") return { name: "answer", schema: wanted };
  const known = schemas.schema(wanted);
  if (!known.ok) return undefined;
  return { name: wanted, schema: openMembers[wanted]?.(known.value as Schema) ?? known.value };
}

function withMember(schema: Schema, path: readonly string[], name: string, declared: Schema): Schema {
  const [step, ...rest] = path;
  if (step === undefined) {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    return { ...schema, properties: { ...properties, [name]: declared } };
  }
  const isKeyword = step === "items";
  const holder = isKeyword ? schema : (schema["properties"] as Schema);
  const inner = withMember(holder[step] as Schema, rest, name, declared);
  return isKeyword ? { ...schema, [step]: inner } : { ...schema, properties: { ...holder, [step]: inner } };
}
