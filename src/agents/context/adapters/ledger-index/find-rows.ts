import type { Database } from "better-sqlite3";
import type { LedgerQuery } from "../../ledger/ledger-search.ts";
import { groupWord, perMillisecond, sessionWord } from "./index-session.ts";
import type { IndexedRow } from "./verified-lines.ts";

const rowColumns = `e.id, e.session, e."group", e.hash, e."offset", e.length`;
/** A query by work order or agent looks at the latest so many sessions. */
const maxSessions = 1000;

type Fetch = (bound: number, count: number) => readonly IndexedRow[];

/** Rows that may answer a query, in order of time, fetched a page at a time: what is not looked at costs nothing. */
export function* findRows(database: Database, query: LedgerQuery): Generator<IndexedRow> {
  const groups = groupsOf(database, query);
  if (groups.length === 0) return;
  const sessions = sessionsOf(database, query);
  if (sessions?.length === 0) return;
  const fetches = fetchesOf(database, query, groups, sessions);
  const newest = query.order === "newest";
  const page = Math.max(32, Math.min(query.limit * 2, 512));
  let bound = newest ? Number.MAX_SAFE_INTEGER : -1;
  for (;;) {
    const rows = fetches
      .flatMap((fetch) => fetch(bound, page))
      .toSorted((a, b) => (newest ? b.id - a.id : a.id - b.id))
      .slice(0, page);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < page) return;
    bound = last.id;
  }
}

/** Each gives the next rows past a bound. Together, merged, they give them all in order. */
function fetchesOf(
  database: Database,
  query: LedgerQuery,
  groups: readonly number[],
  sessions: readonly number[] | undefined,
): readonly Fetch[] {
  const newest = query.order === "newest";
  const order = newest ? "DESC" : "ASC";
  const low = query.since === undefined ? 0 : Date.parse(query.since) * perMillisecond;
  const high = query.until === undefined ? Number.MAX_SAFE_INTEGER : (Date.parse(query.until) + 1) * perMillisecond - 1;
  const range = (bound: number): [number, number] =>
    newest ? [low, Math.min(high, bound - 1)] : [Math.max(low, bound + 1), high];
  if (query.words && query.ledger !== "evidence") {
    const match = [
      anyOf(query.words),
      anyOf(groups.map(groupWord)),
      ...(sessions ? [anyOf(sessions.map(sessionWord))] : []),
    ].join(" AND ");
    const found = database.prepare<[string, number, number, number], IndexedRow>(
      `SELECT ${rowColumns} FROM (SELECT rowid AS id FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid ${order} LIMIT ?) w
       JOIN entries e ON e.id = w.id ORDER BY e.id ${order}`,
    );
    return [(bound, count) => found.all(match, ...range(bound), count)];
  }
  if (sessions) {
    const inGroups = database.prepare<[number, number, number, string, number], IndexedRow>(
      `SELECT ${rowColumns} FROM entries e WHERE e.session = ? AND e.id BETWEEN ? AND ?
       AND e."group" IN (SELECT value FROM json_each(?)) ORDER BY e.id ${order} LIMIT ?`,
    );
    const list = JSON.stringify(groups);
    return sessions.map((session) => (bound, count) => inGroups.all(session, ...range(bound), list, count));
  }
  const ofGroup = database.prepare<[number, number, number, number], IndexedRow>(
    `SELECT ${rowColumns} FROM entries e WHERE e."group" = ? AND e.id BETWEEN ? AND ? ORDER BY e.id ${order} LIMIT ?`,
  );
  return groups.map((group) => (bound, count) => ofGroup.all(group, ...range(bound), count));
}

function groupsOf(database: Database, query: LedgerQuery): readonly number[] {
  return database
    .prepare<[string, string, string | null, string | null, string | null, string | null], { id: number }>(
      `SELECT id FROM groups WHERE ledger = ? AND tier IN (SELECT value FROM json_each(?))
       AND (? IS NULL OR type IN (SELECT value FROM json_each(?))) AND (? IS NULL OR framework_id = ?)`,
    )
    .all(
      query.ledger,
      JSON.stringify(query.tiers),
      ...twice(query.types ? JSON.stringify(query.types) : null),
      ...twice(query.framework_id ?? null),
    )
    .map(({ id }) => id);
}

function twice<T>(value: T): [T, T] {
  return [value, value];
}

/** Undefined: the query does not name any. */
function sessionsOf(database: Database, query: LedgerQuery): readonly number[] | undefined {
  const { session_id, work_order_id, agent_id } = query;
  if (session_id === undefined && work_order_id === undefined && agent_id === undefined) return undefined;
  return database
    .prepare<(string | null | number)[], { id: number }>(
      `SELECT id FROM sessions WHERE (? IS NULL OR session_id = ?) AND (? IS NULL OR work_order_id = ?)
       AND (? IS NULL OR id IN (SELECT session FROM agents WHERE agent_id = ?)) ORDER BY last_at DESC LIMIT ?`,
    )
    .all(...twice(session_id ?? null), ...twice(work_order_id ?? null), ...twice(agent_id ?? null), maxSessions)
    .map(({ id }) => id);
}

function anyOf(words: readonly string[]): string {
  return `(${words.map((word) => `"${word.replaceAll('"', "")}"`).join(" OR ")})`;
}
