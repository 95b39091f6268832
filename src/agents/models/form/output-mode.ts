import { canonicalJson, isJsonObject } from "#core/values";
import type { CompletionRequest } from "../completion.ts";

/**
 * How the form of an answer is asked for. native: the vendor keeps the answer to a schema. object: it keeps it to JSON, and the
 * schema is in the prompt. tool: the answer is the arguments of the runtime's own tool `answer`. prompted: words alone.
 */
export type AnswerMode = "native" | "object" | "tool" | "prompted";

export const answerTool = "answer";

/** The modes that are left for a request, best first. A vendor's native mode may not go with tools, or not with the model. */
export function modesFor(
  offered: readonly AnswerMode[],
  known: { readonly native: boolean; readonly nativeBesideTools: boolean; readonly tools: boolean },
  hasTools: boolean,
): readonly AnswerMode[] {
  return offered.filter((mode) => {
    if (mode === "native" || mode === "object") return known.native && (!hasTools || known.nativeBesideTools);
    return mode === "prompted" || known.tools;
  });
}

/** A request with the schema of its answer in the words of its instructions, where the vendor is not given it otherwise. */
export function promptedRequest(request: CompletionRequest): CompletionRequest {
  const { answer } = request;
  if (!answer || (answer.mode !== "prompted" && answer.mode !== "object")) return request;
  const schema = JSON.stringify(answer.schema);
  const wanted = `# Form of the answer\n\nYour last message is JSON only, valid by this schema:\n\n${schema}`;
  const [first, ...others] = request.messages;
  // Behind the instructions, which stay the same in a conversation: what was cached of it stays valid.
  if (first?.role === "system")
    return first.content.includes(schema)
      ? request
      : { ...request, messages: [{ ...first, content: `${first.content}\n\n${wanted}` }, ...others] };
  return { ...request, messages: [{ role: "system", content: wanted }, ...request.messages] };
}

/**
 * A schema as strict modes take it: every object closed and every property required, an optional one as nullable. The reader
 * leaves such a null out again. Undefined where the strict form would mean something else: a free object, a condition, a
 * reference to another document.
 */
export function closeSchema(schema: object): Record<string, unknown> | undefined {
  const closed = close(schema);
  return closed === unclosable ? undefined : closed;
}

const unclosable = Symbol("a schema that has no strict form");
type Closed = Record<string, unknown> | typeof unclosable;

/** Keywords that say something about a value which strict modes refuse and which the reader checks all the same. */
const leftOut: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "title",
  "default",
  "examples",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "format",
  "pattern",
  "uniqueItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
]);
const kept: ReadonlySet<string> = new Set(["type", "description", "enum", "const", "$ref"]);

function close(schema: unknown): Closed {
  if (!isJsonObject(schema)) return unclosable;
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith("x-") || leftOut.has(key)) continue;
    if (kept.has(key)) made[key] = value;
    else if (key === "items") {
      const items = close(value);
      if (items === unclosable) return unclosable;
      made[key] = items;
    } else if (key === "$defs" || key === "definitions") {
      const all = closeAll(value);
      if (!all) return unclosable;
      made[key] = all;
    } else if (key === "anyOf" && Array.isArray(value)) {
      const members = value.map(close);
      if (members.includes(unclosable)) return unclosable;
      made[key] = members;
    } else if (!objectKeys.has(key)) return unclosable;
  }
  if (typeof made["$ref"] === "string" && !made["$ref"].startsWith("#")) return unclosable;
  if (schema["type"] === "object" || "properties" in schema) return closeObject(schema, made);
  // A constant without a type, and a value that may be anything, have no strict form of their own.
  if ("const" in made && !("type" in made)) made["type"] = typeName(made["const"]);
  if ("enum" in made && !("type" in made) && Array.isArray(made["enum"]))
    made["type"] = new Set(made["enum"].map(typeName)).size === 1 ? typeName(made["enum"][0]) : undefined;
  if (made["type"] === undefined) delete made["type"];
  if (!("type" in made) && !("anyOf" in made) && !("$ref" in made) && !("enum" in made)) return unclosable;
  return made["type"] === "array" && !("items" in made) ? unclosable : made;
}

const objectKeys: ReadonlySet<string> = new Set(["properties", "required", "additionalProperties"]);

function closeObject(schema: Record<string, unknown>, made: Record<string, unknown>): Closed {
  const { properties, additionalProperties } = schema;
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return unclosable;
  if (isJsonObject(additionalProperties)) return unclosable;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const closed: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(properties)) {
    const member = close(declared);
    if (member === unclosable) return unclosable;
    const optional = required.includes(name) ? member : nullable(member);
    if (!optional) return unclosable;
    closed[name] = optional;
  }
  return { ...made, type: "object", properties: closed, required: Object.keys(closed), additionalProperties: false };
}

/** An optional member that takes null by itself would be read as absent or as null: the text does not say which one was meant. */
function nullable(member: Record<string, unknown>): Record<string, unknown> | undefined {
  const { type } = member;
  if ("anyOf" in member || "$ref" in member || typeof type !== "string" || type === "null") return undefined;
  if (Array.isArray(member["enum"])) return { ...member, type: [type, "null"], enum: [...member["enum"], null] };
  if ("const" in member) return { type: [type, "null"], enum: [member["const"], null] };
  return { ...member, type: [type, "null"] };
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "object" ? "object" : typeof value;
}

/** Closed definitions by name; undefined where one has no strict form. */
function closeAll(value: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(value)) return undefined;
  const closed: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    const member = close(each);
    if (member === unclosable) return undefined;
    closed[name] = member;
  }
  return closed;
}

/** The answer of a call of the `answer` tool, as the text that it stands for; undefined where none was made alone. */
export function answerOfCall(calls: readonly { readonly name: string; readonly args: object }[]): string | undefined {
  const [only, ...others] = calls;
  return only?.name === answerTool && others.length === 0 ? canonicalJson(only.args) : undefined;
}
