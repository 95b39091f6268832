import { frame } from "#core/routes";
import { type Clock, ok, type Result, sleep } from "#core/values";
import type { SessionList } from "#log";

const everyMs = 500;

/** The newest questions to people, of which a change of state is sent. */
export interface RecentQuestions {
  list(wanted: { readonly limit: number }): Promise<Result<readonly RecentQuestion[]>>;
}

interface RecentQuestion {
  readonly approval_id: string;
  readonly kind: string;
  readonly state: string;
  readonly title: string;
  readonly session_id: string | null;
  readonly run_id: string | null;
}

export interface WorkspaceFeedParts {
  readonly sessions: Pick<SessionList, "read">;
  readonly inbox: RecentQuestions;
  readonly clock: Clock;
}

/**
 * Changes in the workspace for a page that shows lists: sessions that began, grew or closed, and the inbox. Not
 * resumable: a client that reconnects reads the lists again.
 */
export async function* followWorkspace(
  { sessions, inbox, clock }: WorkspaceFeedParts,
  signal: AbortSignal,
): AsyncGenerator<Result<string>> {
  const heads = new Map<string, string>();
  const questions = new Map<string, string>();
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const listed = await sessions.read();
    if (!listed.ok) return yield listed;
    for (const info of listed.value.sessions) {
      if (heads.get(info.session_id) === info.head_hash) continue;
      heads.set(info.session_id, info.head_hash);
      if (!isFirst) yield ok(frame("session", info));
    }
    const waiting = await inbox.list({ limit: 200 });
    if (!waiting.ok) return yield waiting;
    for (const { approval_id, kind, state, title, session_id, run_id } of waiting.value) {
      if (questions.get(approval_id) === state) continue;
      questions.set(approval_id, state);
      if (!isFirst) yield ok(frame("approval", { approval_id, kind, state, title, session_id, run_id }));
    }
    if (isFirst) yield ok(frame("ready", { sessions: heads.size }));
    await sleep(clock, everyMs, signal);
  }
}
