import type { PromptRequest } from "./prompt.ts";
import type { ToolCall } from "./tool-call.ts";

/**
 * A tool call is known by its id: what a person allowed, and what a resumed session finds done. Ids come from outside, and
 * some servers name every call alike; a model that named a second call like one that was allowed would have it carried out
 * on that word. An id that the session has seen gives way to one of the request.
 */
export function ownCallIds<Call extends ToolCall>(
  { calls }: Pick<PromptRequest, "calls">,
  request_id: string,
  tool_calls: readonly Call[],
): Call[] {
  const here = new Set<string>();
  return tool_calls.map((call, index) => {
    const isFree = call.id !== "" && !here.has(call.id) && !calls.isKnownCall(call.id);
    const id = isFree ? call.id : `${request_id}-${index + 1}`;
    here.add(id);
    return isFree ? call : { ...call, id };
  });
}
