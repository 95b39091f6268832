import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonValue, ok, type Result } from "#core/values";
import type { CompletionResponse } from "../completion.ts";
import { offeredName } from "../tool-alias.ts";
import type { ToolCall, ToolOffer } from "../tool-call.ts";
import { type AnswerContract, readArguments } from "./reader.ts";

/** A call as it is made, and what had to be overlooked to read its arguments. */
export interface ReadCall {
  readonly call: ToolCall;
  readonly steps: readonly string[];
  /** What the arguments were read from. */
  readonly text: string;
}

/** The most that is kept of arguments that could not be read. */
const longestQuote = 400;

/**
 * Reads the calls of an answer: each under the name of the tool that is meant, its arguments as an answer is read, lenient about
 * what stands around them and strict about the schema of the tool. Arguments that break the schema stay as they are: dispatch
 * tells the model where. Those that are no JSON object make a call that is answered and never made.
 */
export function readCalls(calls: CompletionResponse["tool_calls"], offers: readonly ToolOffer[]): readonly ReadCall[] {
  return calls.map((call) => {
    const name = offeredName(call.name, offers);
    return readCall({ ...call, name }, contractOf(name, offers));
  });
}

function readCall(call: ToolCall, contract: AnswerContract): ReadCall {
  const { invalid, ...made } = call;
  const text = invalid ? invalid.input : JSON.stringify(call.args);
  const input = invalid ? invalid.input : (call.args as JsonValue);
  const read = readArguments(input, contract);
  if (read.ok) return { call: withArguments(made, read.value.value), steps: read.value.steps, text };
  if (!invalid) return { call, steps: [], text };
  const anything = readArguments(input, { ...contract, schema: {}, validate: anObject });
  if (anything.ok) return { call: withArguments(made, anything.value.value), steps: anything.value.steps, text };
  return { call: { ...call, invalid: { ...invalid, input: text.slice(0, longestQuote) } }, steps: [], text };
}

function withArguments(call: ToolCall, args: JsonValue): ToolCall {
  return isJsonObject(args) ? { ...call, args } : call;
}

/** Known by the tool's name, in which a model may wrap the arguments; a tool that is not on offer takes any object. */
function contractOf(name: string, offers: readonly ToolOffer[]): AnswerContract {
  const offer = offers.find((each) => each.name === name);
  const check = offer?.check;
  return {
    id: name,
    schema: offer?.input_schema ?? {},
    validate: (value) => (isJsonObject(value) && check ? check(value) : anObject(value)),
  };
}

function anObject(value: unknown): Result<unknown> {
  return isJsonObject(value) ? ok(value) : err(domainError("SCHEMA_VIOLATION", "arguments are a JSON object"));
}
