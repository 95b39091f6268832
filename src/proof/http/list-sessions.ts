import { domainError } from "#core/errors";
import { type Call, integer, pageSize, type QueryParameter, text } from "#core/routes";
import { err, ok, type Result, type SessionId } from "#core/values";
import type { LogReader, SessionList } from "#log";
import { type SessionState, stateOf } from "#log/answers";
import type { SessionKind, Shown } from "../catalog/catalogued-session.ts";
import type { SessionCatalog } from "../catalog/session-catalog.ts";
import type { CatalogQuery, CatalogRow } from "../catalog/store/catalog-store.ts";

export interface ListParts {
  readonly catalog: Pick<SessionCatalog, "find" | "of" | "unread">;
  readonly sessions: Pick<SessionList, "read">;
  readonly log: Pick<LogReader, "atWork">;
  /** Sessions in which a person has to decide before they go on, as of the list's last read. */
  readonly waiting: () => Promise<Result<ReadonlySet<string>>>;
}

const part = (what: string): QueryParameter => ({
  type: "string",
  description: `Only these: ${what}.`,
  maxLength: 400,
});

/** What a list is asked for; all of it narrows the list further. */
export const listQuery: Readonly<Record<string, QueryParameter>> = {
  limit: pageSize,
  after: { type: "string", description: "The `next` of the page before." },
  state: {
    type: "string",
    description: "Only these. `failed`: closed and not done; `open`: not closed.",
    enum: [
      "open",
      "closed",
      "running",
      "waiting",
      "halted",
      "interrupted",
      "done",
      "failed",
      "refused",
      "in_doubt",
      "quarantined",
    ],
  },
  kind: {
    type: "string",
    description: "Requests, or what the workspace records by itself.",
    enum: ["work", "decision", "rejection", "halt", "record"],
  },
  q: {
    type: "string",
    description:
      "Words that all occur, in any case: in ids, in what was asked and answered, in names of tools, files and sources. What stands in quotes is one.",
    maxLength: 400,
  },
  caller: part("asked by this caller"),
  skill: part("used this skill"),
  tool: part("called this tool"),
  cycle: part("went through this cycle"),
  allowed_by: part("a part of the name of a rule or a person that had a say"),
  saw: part("a part of the path or source of what was read"),
  wrote: part("a part of a path that was written"),
  cost_above: part("cost more than so many dollars"),
  refused: { type: "boolean", description: "Only those with acts that were refused." },
  since: { type: "string", description: "Began then or later; ISO 8601.", maxLength: 40 },
  until: { type: "string", description: "Began before; ISO 8601.", maxLength: 40 },
  sort: {
    type: "string",
    description: "The newest first, or the largest.",
    enum: ["began", "cost", "tokens", "took", "events"],
    default: "began",
  },
};

/** Which of the open sessions these are stands in no record: who writes them, who is asked. */
const ofTheMoment: ReadonlySet<string> = new Set(["running", "waiting", "halted", "interrupted"]);
/** Open sessions that are looked through for one of these states. */
const mostOpen = 2_000;

const nothingSaid = { halted: null, quarantined: 0, review: null };

export interface SessionsPage {
  readonly sessions: readonly object[];
  readonly total: number;
  readonly damaged: number;
  readonly unread: number;
  readonly next: string | null;
}

/** A page of the list, over all sessions: what the query asks for, from the catalog. */
export async function listSessions(parts: ListParts, query: Call["query"]): Promise<Result<SessionsPage>> {
  const wanted = queryOf(query);
  const listed = await parts.sessions.read();
  if (!listed.ok) return listed;
  if (wanted.after !== null) {
    const cursor = await parts.catalog.of([wanted.after]);
    if (!cursor.ok) return cursor;
    if (cursor.value.length === 0) return err(badCursor(wanted.after));
  }
  const found = await (isOfTheMoment(wanted) ? findNow(parts, wanted) : findRecorded(parts, wanted));
  if (!found.ok) return found;
  const { rows, total, more } = found.value;
  const last = rows.at(-1);
  return ok({
    sessions: rows,
    total,
    damaged: listed.value.damaged.length,
    unread: parts.catalog.unread,
    next: more && last ? last.session_id : null,
  });
}

type Described = ReturnType<typeof described>;

interface Found {
  readonly rows: readonly Described[];
  readonly total: number;
  readonly more: boolean;
}

async function findRecorded(parts: ListParts, wanted: CatalogQuery): Promise<Result<Found>> {
  const found = await parts.catalog.find({ ...wanted, limit: wanted.limit + 1 });
  if (!found.ok) return found;
  const rows = await describe(parts, found.value.rows.slice(0, wanted.limit));
  if (!rows.ok) return rows;
  return ok({ rows: rows.value, total: found.value.total, more: found.value.rows.length > wanted.limit });
}

async function findNow(parts: ListParts, wanted: CatalogQuery): Promise<Result<Found>> {
  const state = wanted.state === "quarantined" ? "failed" : "open";
  const found = await parts.catalog.find({ ...wanted, state, after: null, limit: mostOpen });
  if (!found.ok) return found;
  const all = await describe(parts, found.value.rows);
  if (!all.ok) return all;
  const mine = all.value.filter((row) => row.state === wanted.state);
  const from = wanted.after === null ? 0 : mine.findIndex(({ session_id }) => session_id === wanted.after) + 1;
  const rows = mine.slice(from, from + wanted.limit);
  return ok({ rows, total: mine.length, more: from + rows.length < mine.length });
}

function isOfTheMoment({ state }: CatalogQuery): boolean {
  return state !== null && (ofTheMoment.has(state) || state === "quarantined");
}

async function describe(parts: ListParts, rows: readonly CatalogRow[]): Promise<Result<readonly Described[]>> {
  const waiting = await parts.waiting();
  if (!waiting.ok) return waiting;
  const open = rows.flatMap(({ info }): SessionId[] => (info.closed ? [] : [info.session_id]));
  const atWork = await parts.log.atWork(open);
  if (!atWork.ok) return atWork;
  return ok(
    rows.map((row) => {
      const { session_id } = row.info;
      const asked = waiting.value.has(session_id);
      const now = { atWork: atWork.value.has(session_id), asked };
      return described(row, asked, stateOf(row.info, row.shown?.standing ?? nothingSaid, now));
    }),
  );
}

function described({ info, shown }: CatalogRow, waiting: boolean, state: SessionState) {
  return { ...info, waiting, state, ...(shown ? answersOf(shown) : { asked: null }) };
}

function answersOf({ asked, caller, cycle_id, skills, tokens, usd, allowed_by, saw, wrote }: Shown) {
  return { asked, caller_id: caller, cycle_id, skills, tokens, usd, allowed_by, saw, wrote };
}

function queryOf(query: Call["query"]): CatalogQuery {
  const named = (name: string) => text(query, name) ?? null;
  const above = named("cost_above");
  return {
    limit: integer(query, "limit", 100),
    after: named("after"),
    sort: (named("sort") ?? "began") as CatalogQuery["sort"],
    state: named("state"),
    kind: named("kind") as SessionKind | null,
    caller: named("caller"),
    skill: named("skill"),
    tool: named("tool"),
    cycle: named("cycle"),
    wrote: named("wrote"),
    saw: named("saw"),
    allowed_by: named("allowed_by"),
    cost_above: above === null || Number.isNaN(Number(above)) ? null : Number(above),
    refused: query["refused"] === true ? true : null,
    since: named("since"),
    until: named("until"),
    words: wordsOf(named("q") ?? ""),
  };
}

const mostWords = 12;

/** What stands in quotes is one. */
export function wordsOf(text: string): readonly string[] {
  const found = [...text.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  return found.filter((word) => word !== "").slice(0, mostWords);
}

function badCursor(after: string) {
  return domainError(
    "MALFORMED_INPUT",
    `"after" is the \`next\` of a page, and no session is called ${JSON.stringify(after)}`,
  );
}
