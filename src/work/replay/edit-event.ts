import { domainError } from "#core/errors";
import { canonicalJson, err, type JsonValue, ok, parseJson, type Result, sha256 } from "#core/values";
import type { Event } from "#log";

/** The same event with another message in it: what the model is taken to have said, or a tool to have answered. */
export function editEvent(event: Event, text: string): Result<Event> {
  if (event.type === "llm.response") {
    const payload = event.payload;
    const said = { text: text.trim(), tool_calls: [] };
    return ok({
      ...event,
      payload: { ...payload, ...said, status: "ok", finish_reason: "stop", response_hash: sha256(canonicalJson(said)) },
    });
  }
  if (event.type === "tool.output") {
    const payload = event.payload;
    const parsed = parseJson(text);
    const content: JsonValue = parsed.ok ? parsed.value : text;
    const { error: _, ...rest } = payload;
    return ok({
      ...event,
      payload: { ...rest, shown: true, is_error: false, content, content_hash: sha256(canonicalJson(content)) },
    });
  }
  return err(
    domainError(
      "MALFORMED_INPUT",
      `event ${event.seq} is ${event.type}; what can be edited is an answer of the model (llm.response) or the output of a tool (tool.output)`,
      { details: { hint: "`writ session events` shows their numbers; --prompt changes the request itself" } },
    ),
  );
}
