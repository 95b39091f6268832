import { type DomainError, domainError } from "#core/errors";
import { err, isJsonObject, type JsonValue, ok, type Result } from "#core/values";
import { findValue } from "./find-value.ts";
import { fitSchema } from "./fit-schema.ts";
import { isOnlyReasoning, stripReasoning } from "./strip-reasoning.ts";

/** A session records the version it was read with; a change of what any text reads as is a new version beside this one. */
export const readerVersion = "v1";

/** What an answer, or the arguments of a tool, must satisfy. */
export interface AnswerContract {
  readonly id: string;
  readonly schema: object;
  readonly validate: (value: unknown) => Result<unknown>;
}

export interface ReadAnswer {
  readonly value: JsonValue;
  /** What was overlooked to read it, in order; empty for bare JSON that satisfies its contract as it is. */
  readonly steps: readonly string[];
}

/** The most that is quoted of what could not be read. */
const longestQuote = 400;

/**
 * Reads an answer: lenient about what stands around it, strict about the contract. Pure: the same text under the same
 * contract reads the same. It never chooses between two objects, completes a cut answer, takes Python's literals, invents a
 * required field or changes free text. A failure has `details {cause, found, violations?}`.
 */
export function readAnswer(text: string, contract: AnswerContract): Result<ReadAnswer> {
  const steps: string[] = [];
  let rest = text;
  if (rest.startsWith("\uFEFF")) {
    steps.push("byte order mark");
    rest = rest.slice(1);
  }
  rest = rest.trim();
  if (rest === "") return err(unread("empty", "it is empty", text));
  let found = findValue(rest);
  // Only what is no JSON by itself has reasoning in front: a tag inside a text of the answer belongs to it.
  const stripped = found.ok && found.value.steps.length === 0 ? undefined : stripReasoning(rest);
  if (stripped) {
    steps.push(stripped.step);
    if (stripped.text === "") return err(unread("empty", "it holds reasoning and no answer", text));
    rest = stripped.text;
    found = findValue(rest);
  }
  if (isOnlyReasoning(rest)) return err(unread("cut", "its reasoning does not end", text));
  if (!found.ok) return err(unread(String(found.error.details["cause"]), found.error.message, text));
  return readValue(found.value.value, contract, [...steps, ...found.value.steps], text);
}

/** Reads the arguments of a tool call: text as the vendor passed it on, or a value that it parsed. */
export function readArguments(input: string | JsonValue, contract: AnswerContract): Result<ReadAnswer> {
  if (typeof input !== "string") return readValue(input, contract, [], JSON.stringify(input));
  // A call without arguments is spelled as nothing by several servers.
  return readAnswer(input.trim() === "" ? "{}" : input, contract);
}

/** The value as it is, or the first of its unwrappings, that satisfies the contract; fitted to the schema only then. */
function readValue(
  value: JsonValue,
  contract: AnswerContract,
  before: readonly string[],
  text: string,
): Result<ReadAnswer> {
  let first: DomainError | undefined;
  for (const { value: each, steps } of wrappings(value, contract)) {
    const checked = contract.validate(each);
    if (checked.ok) return ok({ value: each, steps: [...before, ...steps] });
    const { value: fitted, fits } = fitSchema(each, contract.schema);
    const named = fits.map(({ step, path }) => `${step} ${path}`);
    const again = fits.length > 0 ? contract.validate(fitted) : checked;
    if (again.ok) return ok({ value: fitted, steps: [...before, ...steps, ...named] });
    first ??= again.error;
  }
  const error = first ?? domainError("MALFORMED_INPUT", "there is nothing to read");
  return err({ ...error, details: { ...error.details, cause: "violation", found: quote(text) } });
}

/** A value and what it may be wrapped in: JSON as text, the `answer` tool spelled as text, a list of one, a named envelope. */
function* wrappings(
  value: JsonValue,
  contract: AnswerContract,
  depth = 0,
): Generator<{ readonly value: JsonValue; readonly steps: readonly string[] }> {
  yield { value, steps: [] };
  if (depth >= 4) return;
  const inner = unwrapped(value, contract);
  if (!inner) return;
  for (const further of wrappings(inner.value, contract, depth + 1))
    yield { value: further.value, steps: [inner.step, ...further.steps] };
}

function unwrapped(
  value: JsonValue,
  contract: AnswerContract,
): { readonly value: JsonValue; readonly step: string } | undefined {
  if (typeof value === "string") {
    const held = findValue(value.trim());
    return held.ok && held.value.steps.length === 0 && typeof held.value.value === "object"
      ? { value: held.value.value, step: "JSON as text" }
      : undefined;
  }
  if (Array.isArray(value)) {
    const [only] = value as readonly JsonValue[];
    return value.length === 1 && isJsonObject(only) ? { value: only as JsonValue, step: "list of one" } : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const called = calledAnswer(value, contract);
  if (called !== undefined) return { value: called, step: "call as text" };
  const [key, ...others] = Object.keys(value);
  const inside = key === undefined ? undefined : (value[key] as JsonValue);
  const isEnvelope = key !== undefined && others.length === 0 && namesOf(contract).has(key) && isJsonObject(inside);
  return isEnvelope ? { value: inside as JsonValue, step: "envelope" } : undefined;
}

const argumentKeys: readonly string[] = ["arguments", "parameters", "input", "args"];

/** `{"name":"answer","arguments":{…}}`, by a model that writes its call instead of making it. */
function calledAnswer(value: Readonly<Record<string, unknown>>, contract: AnswerContract): JsonValue | undefined {
  const inner = isJsonObject(value["function"]) ? value["function"] : value;
  const name = inner["name"];
  if (typeof name !== "string" || !namesOf(contract).has(name)) return undefined;
  const keys = Object.keys(inner).filter((key) => argumentKeys.includes(key));
  return keys.length === 1 ? (inner[keys[0] ?? ""] as JsonValue) : undefined;
}

/** The tool that stands for the answer, and the contract's own name with and without its version. */
function namesOf({ id }: AnswerContract): ReadonlySet<string> {
  return new Set(["answer", id, id.replace(/_v\d+$/, "")]);
}

function unread(cause: string, message: string, text: string): DomainError {
  return domainError("MALFORMED_INPUT", message, { details: { cause, found: quote(text) } });
}

function quote(text: string): string {
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
}
