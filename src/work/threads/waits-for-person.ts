import { type DomainError, domainError } from "#core/errors";
import { ok, type Result, type SessionId } from "#core/values";
import type { Event } from "#log";
import { pendingError } from "#people";
import type { FlowResult } from "../flow/execution-context.ts";
import { resultOfRecord } from "../replay/result-of-record.ts";
import type { ThreadSources } from "./thread-sources.ts";

type Question = Extract<Awaited<ReturnType<ThreadSources["inbox"]["list"]>>, { ok: true }>["value"][number];

/** The question that a session waits with. Until it is decided, going on would only ask it again. */
export async function openQuestion(
  { inbox }: Pick<ThreadSources, "inbox">,
  session_id: SessionId,
): Promise<Result<Question | undefined>> {
  const open = await inbox.list({ state: "open", session_id, limit: 1 });
  return open.ok ? ok(open.value[0]) : open;
}

/** What comes of a message whose order waits, or that waits behind one. */
export function waitingResult(session_id: SessionId, events: readonly Event[], question: Question): FlowResult {
  const { code, message } = pendingError({ ...question, state: "waiting" }, question.title.replace(/\?+\s*$/, ""));
  return { ...resultOfRecord(session_id, events, undefined), status: "waiting", error: message, error_code: code };
}

export function waitsForPerson(
  thread_id: string,
  session_id: SessionId,
  { approval_id, title }: Question,
): DomainError {
  return domainError(
    "SESSION_BUSY",
    `the thread ${thread_id} waits for a person: ${title} (\`writ inbox show ${approval_id}\`). Decide it, then send the message again`,
    { retryable: false, details: { session_id, approval_id } },
  );
}
