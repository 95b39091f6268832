import { domainError } from "#core/errors";
import { err, isSessionId, ok, type Result } from "#core/values";
import type { EventLog } from "#log";
import type { ToolDef } from "./tool.ts";

/**
 * A session keeps the law that it began with: a definition that was approved while it ran is for those that begin after.
 * Only what was taken up since this process began can be newer than a session, so nothing else is looked up.
 */
export function toolsInForce(
  log: Pick<EventLog, "read" | "flush">,
  isAdopted: (name: string) => boolean,
): (tool: ToolDef, session_id: string) => Promise<Result<void>> {
  return async ({ name, hash }, session_id) => {
    if (!isAdopted(name) || !isSessionId(session_id)) return ok(undefined);
    const flushed = await log.flush(); // the beginning of a session may only be staged
    if (!flushed.ok) return flushed;
    for await (const first of log.read(session_id)) {
      if (!first.ok) return first;
      if (first.value.type === "session.start" && first.value.payload.pinned?.[`tool:${name}`] === hash)
        return ok(undefined);
      break;
    }
    return err(
      domainError("TOOL_NOT_ALLOWED", `this session began before ${name} was approved as it is now`, {
        details: { hint: "a new session may call it" },
      }),
    );
  };
}
