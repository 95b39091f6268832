import { foldHistory } from "#agents";
import { domainError } from "#core/errors";
import { err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import { type Event, type EventLog, startOf } from "#log";
import { readEvents } from "../replay/read-events.ts";
import { endOfOrder, resultOfRecord } from "../replay/result-of-record.ts";
import type { History } from "./thread-ports.ts";

type Folded = ReturnType<typeof foldHistory>;

/** Conversations in the cache: the next message of a thread folds only the new session. */
const mostKept = 16;
/** Sessions that one conversation may have behind it: a chain that is longer, or a circle, is refused. */
const longestChain = 100_000;

/**
 * The conversation at the end of a session, folded along the chain of sessions that it continues. Only closed sessions are kept,
 * because an open one may still go on.
 */
export class HistoryReader {
  readonly #log: Pick<EventLog, "read">;
  readonly #kept = new Map<SessionId, History>();

  constructor(log: Pick<EventLog, "read">) {
    this.#log = log;
  }

  async at(session_id: SessionId): Promise<Result<History>> {
    const chain: { readonly session_id: SessionId; readonly events: readonly Event[] }[] = [];
    let history: History | undefined;
    for (let next: SessionId | undefined = session_id; next !== undefined && history === undefined; ) {
      history = this.#kept.get(next);
      if (history) break;
      if (chain.length >= longestChain) return err(tooLong(session_id));
      const events: Result<readonly Event[]> = await readEvents(this.#log, next);
      if (!events.ok) return events;
      chain.push({ session_id: next, events: events.value });
      const { continues } = startOf(events.value);
      next = continues !== undefined && isSessionId(continues) ? continues : undefined;
    }
    for (const each of chain.toReversed()) {
      const folded: Folded = foldHistory(history, pastSession(each));
      if (!folded.ok) return folded;
      history = folded.value;
      if (each.events.some(({ type }) => type === "session.close")) this.#keep(each.session_id, history);
    }
    return history ? ok(history) : err(tooLong(session_id));
  }

  #keep(session_id: SessionId, history: History): void {
    this.#kept.delete(session_id);
    this.#kept.set(session_id, history);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest) this.#kept.delete(oldest);
  }
}

function pastSession({ session_id, events }: { readonly session_id: SessionId; readonly events: readonly Event[] }) {
  const started = events.find((event) => event.type === "wo.started");
  const input = started?.payload.work_order["input"] as { readonly prompt?: unknown } | undefined;
  const { response } = resultOfRecord(session_id, events, endOfOrder(events));
  return { events, asked: typeof input?.prompt === "string" ? input.prompt : "", answered: response ?? "" };
}

function tooLong(session_id: SessionId) {
  return domainError("LEDGER_CORRUPT", `the sessions that ${session_id} continues have no beginning`);
}
