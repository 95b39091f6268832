import { domainError } from "#core/errors";
import type { Call } from "#core/routes";
import { integer, text } from "#core/routes";
import { err, ok, type Result } from "#core/values";
import type { ListedSessions, SessionCards, SessionInfo } from "#log";

type Cards = Pick<SessionCards, "of">;

/** The cycle and the prompt stand in the session itself: at most this many of the newest are read for them. */
export const searched = 1_000;

/** The sessions that `cycle` and `q` of the query ask for. */
export async function searchSessions(
  sessions: readonly SessionInfo[],
  query: Call["query"],
  cards: Cards,
): Promise<readonly SessionInfo[]> {
  const cycle = text(query, "cycle");
  const part = text(query, "q");
  const inCycle = cycle === undefined ? sessions : await ofCycle(cycle, sessions, cards);
  return part === undefined ? inCycle : matching(part, inCycle, cards);
}

async function ofCycle(
  cycle_id: string,
  sessions: readonly SessionInfo[],
  cards: Cards,
): Promise<readonly SessionInfo[]> {
  const newest = sessions.slice(0, searched);
  const found = await Promise.all(newest.map((info) => cards.of(info)));
  return newest.filter((_, index) => found[index]?.cycle_id === cycle_id);
}

/** All sessions by part of an id; the newest also by words of their prompt. */
async function matching(part: string, sessions: readonly SessionInfo[], cards: Cards): Promise<readonly SessionInfo[]> {
  const words = part.toLowerCase();
  const asked = await Promise.all(sessions.slice(0, searched).map((info) => cards.of(info)));
  return sessions.filter(
    ({ session_id, work_order_id }, index) =>
      session_id.includes(part) ||
      work_order_id?.includes(part) === true ||
      asked[index]?.asked?.toLowerCase().includes(words) === true,
  );
}

export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  readonly total: number;
  readonly damaged: number;
  readonly next: string | null;
}

/** A page starts after its cursor in the whole list: the cursor's session may have closed and no longer match. */
export function pageOfSessions(
  some: readonly SessionInfo[],
  { sessions: all, damaged }: ListedSessions,
  query: Call["query"],
): Result<SessionPage> {
  const state = text(query, "state");
  const after = text(query, "after");
  const cursor = after === undefined ? -1 : all.findIndex(({ session_id }) => session_id === after);
  if (after !== undefined && cursor < 0)
    return err(
      domainError(
        "MALFORMED_INPUT",
        `"after" is the \`next\` of a page, and no session is called ${JSON.stringify(after)}`,
      ),
    );
  const passed = new Set(all.slice(0, cursor + 1));
  const wanted = some.filter(
    (info) => state === undefined || state === stateOf(info) || (state === "closed" && info.closed),
  );
  const limit = integer(query, "limit", 100);
  const rest = wanted.filter((info) => !passed.has(info));
  const sessions = rest.slice(0, limit);
  const next = limit < rest.length ? (sessions.at(-1)?.session_id ?? null) : null;
  return ok({ sessions, total: wanted.length, damaged: damaged.length, next });
}

function stateOf({ closed, ok: isOk }: SessionInfo): string {
  if (!closed) return "open";
  return isOk === false ? "failed" : "closed";
}
