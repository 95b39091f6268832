import type { DomainError } from "#core/errors";
import { err, type JsonValue, ok, type Result } from "#core/values";
import type { ToolDeclaration } from "#governance/values";
import type { ToolAnnotations, ToolContext, ToolSpec, Trust } from "./tool.ts";
import { type AnswerOf, type InputOf, jsonSchemaOf, parseValue, type ValueSchema } from "./value-schema.ts";

/** What a call of such a tool does: `read` changes nothing, `change` adds or alters, `destroy` loses what was there. */
export type ToolEffect = "read" | "change" | "destroy";

type Arguments = NonNullable<ToolDeclaration["args"]>;
type Fields = NonNullable<ToolDeclaration["fields"]>;

/** What an argument does: `reach` leads out, `object` names what is acted on, `content` is text; `kind` says of what. */
export type ValueSink = Arguments[string]["sink"] | Arguments[string];

/** Who determines a field of a result: `system` and `owner`, `fact` where the service vouches for it, `foreign` otherwise. */
export type ValueField = Fields[string]["from"] | Fields[string];

/** The call that a tool's function answers. */
export interface ToolCallAbout
  extends Pick<ToolContext, "session_id" | "work_order_id" | "call_id" | "idempotency_key" | "attempt" | "signal"> {
  /** The folder of the workspace. */
  readonly root: string;
  /** Tells people how far a long call is. It extends no limit. */
  readonly progress: NonNullable<ToolContext["onProgress"]>;
}

export interface ToolDefinition<In extends ValueSchema, Out extends ValueSchema> {
  /** Letters, digits, `_` and `-` in at most four parts joined by dots: `weather.forecast`. */
  readonly name: string;
  /** What it does, for the model that chooses it; its name without one. */
  readonly description?: string;
  readonly input: In;
  /** The form of its results; without one any JSON is taken. */
  readonly output?: Out;
  readonly effect: ToolEffect;
  /**
   * What its arguments are taken for where a framework judges values: by name, or by names joined by dots where they lie deeper.
   * What is not declared is guessed by its name, and asked about more often.
   */
  readonly sinks?: Readonly<Record<string, ValueSink>>;
  /** Who determines the fields of its results, by name; `*` is every other field. */
  readonly fields?: Readonly<Record<string, ValueField>>;
  /** A session pins it: change it with what the function does, and a session that began before is not resumed with other code. */
  readonly version?: string;
  /** Whether the same call again has no further effect. */
  readonly idempotent?: boolean;
  /** Whether it reaches beyond this process and its data. */
  readonly openWorld?: boolean;
  /** `trusted` where the program vouches for every byte of its results; without it they are foreign text. */
  readonly trust?: Trust;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** What it throws is the failure that the model and the record get. */
  run(input: InputOf<In>, about: ToolCallAbout): AnswerOf<Out> | Promise<AnswerOf<Out>>;
}

/** A tool of an embedding program. `openWorkspace` registers it; until then its schemas are not looked at. */
export interface DefinedTool {
  readonly name: string;
  readonly toSpec: () => Result<ToolSpec>;
}

/** The results of tools that state no form: any JSON. */
const anyResult: ValueSchema = {};

/**
 * A function of the embedding program as a tool. It is called like every other: registry, scope, arguments, hooks, approvals and
 * budget come before it, and call and result are recorded. A session pins it by its name, words, schemas and `version`.
 */
export function defineTool<In extends ValueSchema, Out extends ValueSchema = JsonResult>(
  tool: ToolDefinition<In, Out>,
): DefinedTool {
  const { name } = tool;
  return Object.freeze({ name, toSpec: () => specOf(tool) });
}

/** A result whose form is not stated. */
type JsonResult = { readonly [keyword: string]: unknown };

function specOf<In extends ValueSchema, Out extends ValueSchema>(tool: ToolDefinition<In, Out>): Result<ToolSpec> {
  const { name, description = name, input, output, version = "1", trust, timeoutMs, maxOutputBytes } = tool;
  const schemaIn = jsonSchemaOf(input, "input");
  if (!schemaIn.ok) return inTool(name, schemaIn);
  const values = declaredBy(tool);
  const schemaOut = jsonSchemaOf(output ?? anyResult, "output");
  if (!schemaOut.ok) return inTool(name, schemaOut);
  return ok({
    name,
    description,
    schema_in: schemaIn.value,
    schema_out: schemaOut.value,
    annotations: annotationsOf(tool),
    origin: "program",
    definition: { version, ...(values === undefined ? {} : { values: { ...values } }) },
    ...(values === undefined ? {} : { values }),
    ...(trust === undefined ? {} : { trust }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
    async invoke(args, { onProgress, ...context }) {
      const parsed = await parseValue(input, args);
      if (!parsed.ok) return parsed;
      const { session_id, work_order_id, call_id, idempotency_key, attempt, signal, root } = context;
      const about = { session_id, work_order_id, call_id, idempotency_key, attempt, signal, root };
      const progress: ToolCallAbout["progress"] = (made) => onProgress?.(made);
      const answer: unknown = await tool.run(parsed.value as InputOf<In>, { ...about, progress });
      const checked = output === undefined ? ok(answer) : await parseValue(output, answer);
      return checked.ok ? ok((checked.value ?? null) as JsonValue) : checked; // dispatch reads it as JSON, or refuses it
    },
  });
}

/** What is known of a tool's values, in the words of a framework's manifest. */
function declaredBy({ sinks, fields }: Pick<ToolDefinition<ValueSchema, ValueSchema>, "sinks" | "fields">) {
  if (sinks === undefined && fields === undefined) return undefined;
  const args = Object.entries(sinks ?? {}).map(([name, sink]) => [name, typeof sink === "string" ? { sink } : sink]);
  const from = Object.entries(fields ?? {}).map(([name, field]) => [
    name,
    typeof field === "string" ? { from: field } : field,
  ]);
  return {
    ...(args.length === 0 ? {} : { args: Object.fromEntries(args) as Arguments }),
    ...(from.length === 0 ? {} : { fields: Object.fromEntries(from) as Fields }),
  };
}

function annotationsOf({
  effect,
  idempotent,
  openWorld,
}: Pick<ToolDefinition<ValueSchema, ValueSchema>, "effect" | "idempotent" | "openWorld">): ToolAnnotations {
  return {
    readOnly: effect === "read",
    destructive: effect === "destroy",
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(openWorld === undefined ? {} : { openWorld }),
  };
}

function inTool(name: string, { error }: { readonly error: DomainError }): Result<never> {
  return err({ ...error, message: `the tool ${name}: ${error.message}` });
}
