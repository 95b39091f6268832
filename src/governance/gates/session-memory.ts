import { join } from "node:path";
import type { Clock } from "#core/values";
import { settleMs, statMark } from "../packages/adapters/stat-mark.ts";

const maxSessions = 20_000;

/** What was found out about closed sessions, for as long as nothing of them has changed. The oldest knowledge goes first. */
export class SessionMemory<T> {
  readonly #kept = new Map<string, { readonly mark: string; readonly value: T }>();

  get(session_id: string, mark: string | undefined): T | undefined {
    const kept = mark === undefined ? undefined : this.#kept.get(session_id);
    return kept?.mark === mark ? kept?.value : undefined;
  }

  keep(session_id: string, mark: string | undefined, value: T): void {
    this.#kept.delete(session_id);
    if (mark === undefined) return;
    this.#kept.set(session_id, { mark, value });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxSessions && oldest !== undefined) this.#kept.delete(oldest);
  }
}

const files = [".events.jsonl", "ledger/exec.jsonl", "ledger/evidence.jsonl", "snapshot.json"];

/** Changes when a byte of a closed session does; undefined while it is open, or as long as a change could go unseen. */
export function markOfSession(folder: string, clock: Clock): string | undefined {
  const marks = files.map((file) => statMark(join(folder, file)));
  const now = clock.now();
  const settled = marks.every(({ type, changedMs }) => type === "file" && now - changedMs > settleMs);
  return settled ? marks.map(({ text }) => text).join("\n") : undefined;
}
