import { ok, type Result, sleep } from "#base";
import type { Services } from "../services.ts";
import { frame } from "./frames.ts";

const everyMs = 500;

/**
 * What changes in the workspace, as a page that shows lists needs it: sessions that began, grew or closed, and the inbox.
 * Not resumable: who comes back reads the lists again.
 */
export async function* followWorkspace(
  { sessions, runtime, clock }: Pick<Services, "sessions" | "runtime" | "clock">,
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
    const waiting = await runtime.inbox.list({ limit: 200 });
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
