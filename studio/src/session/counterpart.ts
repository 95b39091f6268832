import type { Event } from "../api/types.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** A call and its answer are two events; an inspector shows both, whichever of them is selected. */
export function counterpart(
  event: Event,
  loaded: readonly Event[],
): { readonly input: unknown; readonly output: unknown } {
  switch (event.type) {
    case "llm.request":
    case "llm.response": {
      const { request_id } = event.payload;
      const asked = find(loaded, "llm.request", ({ payload }) => payload.request_id === request_id);
      const answered = find(loaded, "llm.response", ({ payload }) => payload.request_id === request_id);
      return {
        input: asked && {
          messages: asked.payload.new_messages,
          tools: asked.payload.tools,
          model: asked.payload.model,
        },
        output: answered && (answered.payload.status === "error" ? answered.payload.error : readable(answered.payload)),
      };
    }
    case "tool.invoke":
    case "tool.result":
    case "tool.output": {
      const { call_id } = event.payload;
      const invoked = find(loaded, "tool.invoke", ({ payload }) => payload.call_id === call_id);
      const printed = find(loaded, "tool.output", ({ payload }) => payload.call_id === call_id);
      return { input: invoked?.payload.args, output: printed?.payload.content ?? printed?.payload.error };
    }
    default:
      return { input: event.payload, output: undefined };
  }
}

function find<T extends Event["type"]>(
  events: readonly Event[],
  type: T,
  isIt: (event: Of<T>) => boolean,
): Of<T> | undefined {
  return events.find((event): event is Of<T> => event.type === type && isIt(event as Of<T>));
}

/** Roles answer in JSON: shown as what it says rather than as a string with escapes. */
function readable({ text, tool_calls }: Of<"llm.response">["payload"]): unknown {
  if (tool_calls && tool_calls.length > 0) return { tool_calls, ...(text ? { text } : {}) };
  try {
    return JSON.parse(text ?? "");
  } catch {
    return text; // plain prose
  }
}
