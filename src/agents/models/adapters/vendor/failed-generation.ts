import { APICallError } from "@ai-sdk/provider";
import { isJsonObject, parseJson } from "#core/values";
import type { CompletionRequest, CompletionResponse, Usage } from "../../completion.ts";
import { findValue } from "../../reader/find-value.ts";
import type { SafeNames } from "./safe-names.ts";

/**
 * Some servers refuse a turn of their own model that called a tool badly, and send what it wrote along (`tool_use_failed` with
 * `failed_generation`). What it wrote is the turn: a call where it can be read as one, else the text.
 */
export function failedGeneration(
  thrown: unknown,
  request: CompletionRequest,
  names: SafeNames,
): CompletionResponse | undefined {
  if (!APICallError.isInstance(thrown) || thrown.statusCode !== 400) return undefined;
  const body = parseJson(thrown.responseBody ?? "");
  const written = body.ok && isJsonObject(body.value) ? failedText(body.value) : undefined;
  if (written === undefined || written.trim() === "") return undefined;
  const call = calledIn(written);
  return {
    text: call ? "" : written,
    tool_calls: call ? [{ id: "call_1", name: names.toOurs(call.name), args: call.args }] : [],
    finish_reason: call ? "tool_use" : "stop",
    finish_raw: toolUseFailed,
    usage: undefined as unknown as Usage, // not said: the reservation counts
    model: request.model,
    schema_version: "v2",
  };
}

const toolUseFailed = "tool_use_failed";

function failedText({ error }: Readonly<Record<string, unknown>>): string | undefined {
  if (!isJsonObject(error) || error["code"] !== toolUseFailed) return undefined;
  const written = error["failed_generation"];
  return typeof written === "string" ? written : undefined;
}

/**
 * The same in the middle of a stream: the event of the failure becomes the end of the turn, with what was not sent of it.
 * Returns whether it did; without a word of the model it stays a failure.
 */
export function endFailedTurn(event: Record<string, unknown>, said: string): boolean {
  const written = failedText(event);
  if (written === undefined || (written.trim() === "" && said.trim() === "")) return false;
  const call = calledIn(written);
  const rest = written.startsWith(said) ? written.slice(said.length) : said.trim() === "" ? written : "";
  const made = call && {
    tool_calls: [
      { index: 0, id: "call_1", type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) } },
    ],
  };
  delete event["error"];
  event["choices"] = [{ index: 0, delta: made ?? { content: rest }, finish_reason: toolUseFailed }];
  return true;
}

function calledIn(text: string): { readonly name: string; readonly args: Record<string, unknown> } | undefined {
  // <function=name {"a":1}</function> and <function=name>{"a":1}</function>, as Llama writes them.
  const tagged = /<function=([\w.-]+)[>\s(]*([\s\S]*?)\)?\s*(?:<\/function>|$)/.exec(text);
  const found = findValue(tagged?.[2] ?? text);
  const value = found.ok ? found.value.value : undefined;
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isJsonObject(only)) return undefined;
  if (tagged?.[1]) return { name: tagged[1], args: only };
  const { name, arguments: given, parameters } = only;
  const args = given ?? parameters;
  return typeof name === "string" && isJsonObject(args) ? { name, args } : undefined;
}
