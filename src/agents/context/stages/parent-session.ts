import { isSessionId } from "#core/values";
import type { LogReader } from "#log";
import type { AttentionRequest } from "../attention-service.ts";

/** The session that the current one hangs on, as its first event says; undefined when it stands alone. */
export async function parentOf(
  request: Pick<AttentionRequest, "session_id" | "parent_session_id">,
  log: Pick<LogReader, "read">,
): Promise<string | undefined> {
  if (request.parent_session_id !== undefined) return request.parent_session_id;
  if (!isSessionId(request.session_id)) return undefined;
  for await (const first of log.read(request.session_id)) {
    if (!first.ok || first.value.type !== "session.start") return undefined;
    return first.value.payload.parent_session_id;
  }
  return undefined;
}
