import type { LanguageModelV3FinishReason, LanguageModelV3Usage } from "@ai-sdk/provider";
import { domainError } from "#core/errors";
import { err, isJsonObject, ok, parseJson, type Result } from "#core/values";
import type { CompletionResponse, OutputPart, Usage } from "../../completion.ts";
import type { SafeNames } from "./safe-names.ts";

/** A part of an answer as its vendor wants it back, in its order. Text and arguments are taken from the conversation. */
export interface OpaquePart {
  type: "text" | "reasoning" | "call";
  text?: string;
  /** The length of a text part: where one ends and the next begins. */
  characters?: number;
  id?: string;
  options?: Record<string, Record<string, unknown>>;
}

/** What a vendor said, gathered from one document or from a stream. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly reasoning: string;
  readonly output: readonly OutputPart[];
  readonly opaque: readonly OpaquePart[];
  readonly finish: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage | undefined;
  /** The model that answered, by the vendor's own word. */
  readonly model: string | undefined;
  /** Whether its end was seen: a document that parsed, a stream with its last event. */
  readonly isWhole: boolean;
}

export function toResponse(
  answer: Answer,
  at: { readonly provider: string; readonly model: string; readonly names: SafeNames },
): Result<CompletionResponse> {
  const usage = usageOf(answer);
  const { unified: reason, raw } = answer.finish;
  const hasContent = answer.text.trim() !== "" || answer.calls.length > 0;
  const isUnknown = reason === "error" || reason === "other";
  // Anthropic has shortened the conversation by itself and said nothing yet, or Google's model wrote a call that Google could not
  // read: an empty answer, which gets its nudge. To ask the same again unchanged brings the same call.
  // An unknown reason beside an answer that is there: the answer counts. One that was cut has neither reason nor end.
  const isNamed = raw !== undefined && raw !== "";
  const isEmpty = (raw === "compaction" && answer.isWhole) || isUnreadCall(raw);
  if (isUnknown && !isFiltered(raw) && !isEmpty && !(hasContent && (isNamed || answer.isWhole)))
    return err(
      domainError(
        "PROVIDER_ERROR",
        `${at.provider} ended its answer without saying why (${raw ?? "no finish reason"})`,
        {
          retryable: true,
          details: { sent: true, finish_reason: raw ?? reason, ...(usage ? { usage } : {}) },
        },
      ),
    );
  const tool_calls = answer.calls.map((call) => toCall(call, at.names, reason === "length"));
  const { reasoning, output, opaque } = answer;
  return ok({
    text: answer.text,
    tool_calls,
    finish_reason: finishReason(reason, raw, tool_calls.length > 0),
    ...(isUnknown && isNamed ? { finish_raw: raw } : {}),
    // Absent figures are the router's to estimate; its contract check looks at them apart.
    usage: usage as Usage,
    model: at.model,
    ...(answer.model === undefined || answer.model === at.model ? {} : { model_version: answer.model }),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(output.some(({ type }) => type !== "text" && type !== "call") ? { output: [...output] } : {}),
    ...(opaque.length === 0
      ? {}
      : { opaque: { provider: at.provider, model: at.model, parts: opaque.map((part) => ({ ...part })) } }),
    schema_version: "v2",
  });
}

type Call = CompletionResponse["tool_calls"][number];

/** A call whose arguments are no JSON object as they stand keeps their text: the router reads it (`reader/read-calls.ts`). */
function toCall(call: Answer["calls"][number], names: SafeNames, isCut: boolean): Call {
  const name = names.toOurs(call.name);
  const args = parseJson(call.input.trim() === "" ? "{}" : call.input);
  if (args.ok && isJsonObject(args.value)) return { id: call.id, name, args: args.value };
  const why = args.ok ? "are JSON, and no object" : "are not JSON";
  const message = `the arguments ${why}${isCut ? ": the answer was cut at its token limit" : ""}`;
  return { id: call.id, name, args: {}, invalid: { input: call.input, message } };
}

function finishReason(
  reason: LanguageModelV3FinishReason["unified"],
  raw: string | undefined,
  hasCalls: boolean,
): CompletionResponse["finish_reason"] {
  if (isFiltered(raw)) return "safety";
  switch (reason) {
    case "length":
      return "max_tokens";
    case "content-filter":
      return "safety";
    case "stop":
    case "error":
    case "other":
    case "tool-calls": // Gemini and some compatible servers say stop beside calls, others tool-calls beside none
      return hasCalls ? "tool_use" : "stop";
  }
}

/** Google's filters have many names; the package knows some of them. */
function isFiltered(raw: string | undefined): boolean {
  return (
    raw !== undefined && /^(SAFETY|BLOCKLIST|PROHIBITED_CONTENT|SPII|RECITATION|MODEL_ARMOR|IMAGE_SAFETY)$/.test(raw)
  );
}

/** A call that Google's own server could not read, or did not expect: nothing else came. */
function isUnreadCall(raw: string | undefined): boolean {
  return (
    raw !== undefined &&
    /^(MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MALFORMED_RESPONSE)$/.test(raw)
  );
}

/** The packages turn some absent figures into 0; no prompt is free, and no text costs nothing, so such a 0 is "unknown". */
function usageOf({ usage, text, calls }: Answer): Usage | undefined {
  const input = usage?.inputTokens.total;
  const output = usage?.outputTokens.total;
  if (!input || output === undefined || (output === 0 && (text !== "" || calls.length > 0))) return undefined;
  const cached = usage?.inputTokens.cacheRead ?? 0;
  const written = usage?.inputTokens.cacheWrite ?? 0;
  const thought = usage?.outputTokens.reasoning ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    ...(cached > 0 ? { cached_input_tokens: cached } : {}),
    ...(written > 0 ? { cache_write_tokens: written } : {}),
    ...(thought > 0 ? { reasoning_tokens: thought } : {}),
  };
}
