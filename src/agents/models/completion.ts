import type { SchemaTypes } from "#core/contracts";

/** What is asked of a model, and what it answers, inside the runtime: the latest contract of each. */
export type CompletionRequest = SchemaTypes["completion_request_v2"];
export type CompletionResponse = SchemaTypes["completion_response_v2"];
/** What a provider may hand in: programs and cassettes written before answer with v1. */
export type AnyCompletionResponse = SchemaTypes["completion_response_v1"] | CompletionResponse;

export type Usage = CompletionResponse["usage"];
export type OutputPart = NonNullable<CompletionResponse["output"]>[number];

/** An answer of v1 as one of v2, which only adds to it. Fields that v1 left open and v2 does not name are dropped. */
export function liftResponse(response: AnyCompletionResponse): CompletionResponse {
  if (response.schema_version === "v2") return response;
  const { text, tool_calls, finish_reason, usage, model } = response;
  const version = response["model_version"];
  return {
    text,
    tool_calls: tool_calls.map(({ id, name, args }) => ({ id, name, args })),
    finish_reason,
    usage,
    model,
    ...(typeof version === "string" ? { model_version: version } : {}),
    schema_version: "v2",
  };
}
