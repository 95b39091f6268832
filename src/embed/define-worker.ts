import { shippedRegistry, validateAgainst } from "#core/contracts";
import { checkJson, err, isJsonObject, ok, type Result } from "#core/values";
import type { WorkContext, WorkHandler, WorkOutcome } from "#runs";
import {
  type AnswerOf,
  type InputOf,
  jsonSchemaOf,
  parseValue,
  type ValueSchema,
} from "../effects/tools/value-schema.ts";

/** The item that a worker's function works on. */
export interface WorkAbout extends WorkContext {
  readonly objective: string;
  readonly run_id: string;
  readonly work_id: string;
}

type Patches = Extract<WorkOutcome, { readonly status: "completed" }>["patches"];

/** What a worker made of an item; `blocked` asks for a person, `released` hands it back. */
export type WorkAnswer<Out extends ValueSchema> =
  | { readonly status: "completed"; readonly result?: AnswerOf<Out>; readonly patches?: Patches }
  | Exclude<WorkOutcome, { readonly status: "completed" }>;

export interface WorkerDefinition<In extends ValueSchema, Out extends ValueSchema> {
  /** The kind of work that apps ask for by this name. */
  readonly capability: string;
  /** The form of the item's input; an item that does not fit fails, and its app sees why. */
  readonly input?: In;
  /** The form of the result. */
  readonly output?: Out;
  /** What it throws ends the item: it is tried again as often as its app asked for. */
  run(input: InputOf<In>, about: WorkAbout): Promise<WorkAnswer<Out>> | WorkAnswer<Out>;
}

/** A worker of an embedding program. */
export interface DefinedWorker {
  readonly capability: string;
  readonly handler: WorkHandler;
}

/** A function of the embedding program that does the work of one capability, under leases, heartbeats and retries. */
export function defineWorker<In extends ValueSchema = JsonObjectSchema, Out extends ValueSchema = JsonObjectSchema>({
  capability,
  input,
  output,
  run,
}: WorkerDefinition<In, Out>): DefinedWorker {
  const handler: WorkHandler = async (lease, context) => {
    const given = await fitting(input, "input", lease.input ?? {}, `the input of ${lease.work_id}`);
    if (!given.ok) return failed(given.error);
    const { objective, run_id, work_id } = lease;
    const { signal, submitPatch } = context;
    const answer = await run(given.value as InputOf<In>, { objective, run_id, work_id, signal, submitPatch });
    if (answer.status !== "completed") return answer;
    const { result, patches } = answer;
    const made = await fitting(output, "output", result ?? {}, `the result of ${capability}`);
    if (!made.ok) return failed(made.error);
    const storable = checkJson(made.value);
    if (!storable.ok) return failed(storable.error);
    if (!isJsonObject(storable.value)) return { status: "failed", reason: `the result of ${capability} is no object` };
    return { status: "completed", result: storable.value, ...(patches === undefined ? {} : { patches }) };
  };
  return Object.freeze({ capability, handler });
}

/** A value whose form is not stated. */
type JsonObjectSchema = { readonly [keyword: string]: unknown };

const failed = ({ code, message }: { readonly code: string; readonly message: string }): WorkOutcome => ({
  status: "failed",
  reason: message,
  code,
});

/** Checked by the JSON Schema and, where the schema is a library's, converted by it. */
async function fitting(
  schema: ValueSchema | undefined,
  side: "input" | "output",
  value: unknown,
  name: string,
): Promise<Result<unknown>> {
  if (schema === undefined) return ok(value);
  const parsed = await parseValue(schema, value);
  if (!parsed.ok) return err({ ...parsed.error, message: `${name}: ${parsed.error.message}` });
  const said = jsonSchemaOf(schema, side);
  if (!said.ok) return said;
  const checked = validateAgainst(shippedRegistry(), said.value, name, side === "input" ? value : parsed.value);
  return checked.ok ? parsed : checked;
}
