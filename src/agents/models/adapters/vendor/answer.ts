import type { LanguageModelV3FinishReason, LanguageModelV3Usage } from "@ai-sdk/provider";
import type { CompletionResponseV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isJsonObject, ok, parseJson, type Result } from "#core/values";
import type { SafeNames } from "./safe-names.ts";

/** What a vendor said, gathered from one document or from a stream. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly finish: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage | undefined;
  /** The model that answered, by the vendor's own word. */
  readonly model: string | undefined;
}

export function toResponse(
  answer: Answer,
  at: { readonly provider: string; readonly model: string; readonly names: SafeNames },
): Result<CompletionResponseV1> {
  const usage = usageOf(answer);
  const wrong = (message: string, retryable: boolean) =>
    err(
      domainError("PROVIDER_ERROR", `${at.provider} ${message}`, {
        retryable,
        details: { sent: true, finish_reason: answer.finish.raw ?? answer.finish.unified, ...(usage ? { usage } : {}) },
      }),
    );
  const reason = answer.finish.unified;
  if (reason === "error" || reason === "other")
    return wrong(`ended its answer without saying why (${answer.finish.raw ?? "no finish reason"})`, true);

  const tool_calls: CompletionResponseV1["tool_calls"] = [];
  for (const call of answer.calls) {
    const name = at.names.toOurs(call.name);
    const args = parseJson(call.input.trim() === "" ? "{}" : call.input);
    if (!args.ok || !isJsonObject(args.value)) {
      const cut = reason === "length" ? ", because the answer reached its token limit" : "";
      return wrong(`asked for ${name} with arguments that are not a JSON object${cut}`, cut === "");
    }
    tool_calls.push({ id: call.id, name, args: args.value });
  }
  return ok({
    text: answer.text,
    tool_calls,
    finish_reason: finishReason(reason, tool_calls.length > 0),
    // Absent figures are the router's to estimate; its contract check looks at them apart.
    usage: usage as CompletionResponseV1["usage"],
    model: at.model,
    ...(answer.model === undefined || answer.model === at.model ? {} : { model_version: answer.model }),
    schema_version: "v1",
  });
}

function finishReason(
  reason: Exclude<LanguageModelV3FinishReason["unified"], "error" | "other">,
  hasCalls: boolean,
): CompletionResponseV1["finish_reason"] {
  switch (reason) {
    case "length":
      return "max_tokens";
    case "content-filter":
      return "safety";
    case "stop":
    case "tool-calls": // Gemini and some compatible servers say stop beside calls, others tool-calls beside none
      return hasCalls ? "tool_use" : "stop";
  }
}

/** The packages turn some absent figures into 0; no prompt is free, and no text costs nothing, so such a 0 is "unknown". */
function usageOf({ usage, text, calls }: Answer): CompletionResponseV1["usage"] | undefined {
  const input = usage?.inputTokens.total;
  const output = usage?.outputTokens.total;
  if (!input || output === undefined || (output === 0 && (text !== "" || calls.length > 0))) return undefined;
  const cached = usage?.inputTokens.cacheRead ?? 0;
  return { input_tokens: input, output_tokens: output, ...(cached > 0 ? { cached_input_tokens: cached } : {}) };
}
