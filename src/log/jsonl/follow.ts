import * as fs from "node:fs";
import { join } from "node:path";
import { type Clock, type Result, type SessionId, sleep } from "#core/values";
import type { Portion } from "./file-lines.ts";
import type { JsonlSession } from "./jsonl-session.ts";
import { type Position, readLines } from "./read-lines.ts";
import { type Journals, placeOnDisk } from "./session-paths.ts";
import { listWriterProcesses, namesIn } from "./writer-processes.ts";

export interface FollowDeps {
  readonly root: string;
  readonly journals: () => Journals;
  readonly clock: Clock;
  readonly pollMs: number;
  readonly own: (session_id: SessionId) => JsonlSession | undefined;
  readonly ownLines: (session: JsonlSession, position: Position) => AsyncGenerator<Result<Portion>>;
}

/** Lines as they become durable, without end until the signal aborts. */
export async function* followLines(
  session_id: SessionId,
  signal: AbortSignal,
  deps: FollowDeps,
): AsyncGenerator<Result<Portion>> {
  const position: Position = { seq: 0, bytes: 0 };
  while (!signal.aborted) {
    const session = deps.own(session_id);
    const before = session ? "" : fingerprint(deps.root, session_id);
    for await (const portion of session
      ? deps.ownLines(session, position)
      : readLines(deps.journals(), session_id, position)) {
      yield portion;
      if (!portion.ok || signal.aborted) return;
    }
    if (session && deps.own(session_id) === session) await nextCommit(session, position.seq, signal);
    else
      while (!signal.aborted && before === fingerprint(deps.root, session_id) && !deps.own(session_id))
        await sleep(deps.clock, deps.pollMs, signal);
  }
}

function nextCommit(session: JsonlSession, seq: number, signal: AbortSignal): Promise<void> {
  const { state, followers } = session;
  if (state.durableSeq > seq) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      followers.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    followers.add(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

/**
 * Changes whenever any journal or the session's file was written. Sizes alone are not enough: journals reserve room
 * ahead.
 */
function fingerprint(root: string, session_id: SessionId): string {
  const place = placeOnDisk(root, session_id);
  const files = place ? [join(place.folder, ".events.jsonl")] : [];
  for (const instance of listWriterProcesses(root))
    files.push(...namesIn(instance.folder).map(({ name }) => join(instance.folder, name)));
  return files.map(stamp).join();
}

function stamp(path: string): string {
  const stat = fs.statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${path} ${stat.size} ${stat.mtimeNs}` : "";
}
