import { domainError } from "#core/errors";
import { err, isJsonObject, ok, type Result, type SessionId } from "#core/values";
import type { EventLog } from "#log";

/** The whole result of a call, from the session's own record: nothing is kept twice, and nothing unredacted is read. */
export function artifactReader(
  log: Pick<EventLog, "read">,
): (session_id: SessionId, call_id: string) => Promise<Result<string>> {
  return async (session_id, call_id) => {
    for await (const event of log.read(session_id)) {
      if (!event.ok) return event;
      const { type, payload } = event.value;
      if (type === "tool.output" && payload.call_id === call_id && payload.shown) return ok(textOf(payload.content));
    }
    return err(domainError("NOT_FOUND", `no call ${JSON.stringify(call_id)} of this session has a result`));
  };
}

/** Texts stand as they are, under their names; anything else as JSON. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!isJsonObject(content)) return JSON.stringify(content, null, 1);
  return Object.entries(content)
    .map(([name, value]) =>
      typeof value === "string" ? `# ${name}\n${value}` : `# ${name}\n${JSON.stringify(value, null, 1)}`,
    )
    .join("\n");
}
