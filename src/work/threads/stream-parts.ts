import type { Event } from "#log";
import type { StreamPart } from "./stream-part.ts";

/** What people are shown of an event; nothing for those that only the record needs. Pieces of an answer come beside it. */
export function partOfEvent(event: Event): StreamPart | undefined {
  const { session_id, seq } = event;
  const at = { session_id, seq };
  switch (event.type) {
    case "llm.response":
      return wholeText(event);
    case "tool.invoke": {
      const { call_id, name, args } = event.payload;
      return { type: "call", ...at, call_id, name, args };
    }
    case "tool.output": {
      const { call_id, name, is_error, error } = event.payload;
      return { type: "result", ...at, call_id, name, status: is_error ? "failed" : "ok", ...codeOf(error) };
    }
    case "tool.refused": {
      const { call_id, name, code, reason } = event.payload;
      return { type: "result", ...at, call_id, name, status: "refused", code, text: reason };
    }
    case "plan.updated":
      return { type: "todo", ...at, items: event.payload.items };
    case "approval.requested": {
      const { approval_id, kind, title } = event.payload;
      return { type: "approval", ...at, approval_id, kind, title };
    }
    case "thread.message": {
      const { message_id, by, text } = event.payload;
      return { type: "message", ...at, message_id, by, text };
    }
    case "session.close": {
      const { status, reason } = event.payload;
      return { type: "end", ...at, status, ...(reason === undefined ? {} : { text: reason }) };
    }
    default:
      return undefined;
  }
}

/** Of the agent that speaks with the person. What other roles answer is JSON for each other, which no person is shown. */
function wholeText({ session_id, seq, payload }: Event<"llm.response">): StreamPart | undefined {
  const { role, status, text = "" } = payload;
  if (role !== "solo" || status !== "ok" || text.trim() === "") return undefined;
  return { type: "text", session_id, seq, role, text, whole: true };
}

function codeOf(error: { readonly code: string; readonly message: string } | undefined) {
  return error ? { code: error.code, text: error.message } : {};
}
