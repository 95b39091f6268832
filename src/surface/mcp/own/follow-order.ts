import { type JsonObject, type SessionId } from "#core/values";
import { type Event, isEvent, type LogReader } from "#log";
import type { McpLogLevel, McpRequest } from "../offer/mcp-request.ts";

/**
 * Tells the client what happens in a session while its request waits: progress by the number of the event, and a log
 * message for each step. Ends with the session, with the request, or when the returned function is called.
 */
export function followOrder(
  session_id: SessionId,
  request: Pick<McpRequest, "signal" | "progress" | "log">,
  log: Pick<LogReader, "follow">,
): () => Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([request.signal, ending.signal]);
  const telling = tell(session_id, { ...request, signal }, log);
  return async () => {
    ending.abort();
    await telling;
  };
}

async function tell(
  session_id: SessionId,
  { signal, progress, log: say }: Pick<McpRequest, "signal" | "progress" | "log">,
  log: Pick<LogReader, "follow">,
): Promise<void> {
  for await (const event of log.follow(session_id, { signal })) {
    // A session that cannot be read any more is reported where its result is read.
    if (!event.ok || signal.aborted) return;
    const { seq, type, actor } = event.value;
    const step = stepOf(event.value);
    await progress({ progress: seq, message: step?.words ?? type });
    if (step) await say(step.level, { session_id, seq, type, actor, ...step.data });
  }
}

interface Step {
  readonly level: McpLogLevel;
  readonly words: string;
  readonly data: JsonObject;
}

/** The events that a person who waits wants to know of. */
function stepOf(event: Event): Step | undefined {
  if (isEvent(event, "tool.invoke")) {
    const { name, call_id } = event.payload;
    return { level: "info", words: `calls ${name}`, data: { tool: name, call_id } };
  }
  if (isEvent(event, "tool.refused")) {
    const { name, call_id, code, reason } = event.payload;
    return { level: "warning", words: `${name} refused: ${code}`, data: { tool: name, call_id, code, reason } };
  }
  if (isEvent(event, "approval.requested")) {
    const { approval_id, title } = event.payload;
    return { level: "notice", words: `waits: ${title}`, data: { approval_id, title } };
  }
  if (isEvent(event, "session.close")) {
    const { ok, status } = event.payload;
    return { level: ok ? "info" : "warning", words: `ended: ${status}`, data: { status } };
  }
  return undefined;
}
