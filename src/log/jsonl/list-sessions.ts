import * as fs from "node:fs";
import { isMissing, messageOf } from "#core/errors";
import { isJsonObject, isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { SessionInfo } from "../event-log.ts";
import { type Envelope, parseLine } from "../line.ts";
import { type Tier, tiers } from "../tier.ts";
import { emptiedFile, withoutEvents } from "./emptied-file.ts";
import type { JsonlSession } from "./jsonl-session.ts";
import { eventsStamp } from "./listing/stamps.ts";
import { sessionPaths, sessionsFolder } from "./paths.ts";
import type { PendingEnds } from "./pending-writes.ts";
import { damaged, readFully } from "./scan-batches.ts";
import { type Segment, standingSegments } from "./scan-journal.ts";
import { eachJournal, findSegments, type Journals } from "./session-paths.ts";
import { firstLine, lineEndingAt } from "./tail.ts";
import { closeJournals } from "./writer-processes.ts";

/** What is known of a session's first and last line before its file is read. */
export interface Ends {
  readonly tier: Tier;
  /** The file is valid up to here; undefined: to its end. */
  readonly fileEnd: number | undefined;
  readonly first: string | undefined;
  readonly last: string | undefined;
}

/** The sessions that this process writes. */
export interface ListedSessions {
  all(): Iterable<JsonlSession>;
  session(session_id: SessionId): JsonlSession | undefined;
  /** The first and last lines that their files do not hold yet, by session number. */
  pendingEnds(): ReadonlyMap<number, PendingEnds>;
}

/** What was read from files without a claim, for later calls: an unchanged file has the same content. */
export type KnownSessions = Map<string, { readonly stamp: string; readonly info: Result<SessionInfo> }>;

/** Every session of the workspace by its first and last line; the lines between them are not read. */
export async function* listSessions(
  journals: Journals,
  own: ListedSessions | undefined,
  known: KnownSessions,
): AsyncGenerator<Result<SessionInfo>> {
  const { root } = journals;
  const found = await claimedSessions(journals, own);
  if (!found.ok) {
    yield found;
    return;
  }
  const claimed = found.value;
  const seen = new Set<string>();
  for (const tier of tiers) {
    for (const name of namesIn(sessionsFolder(root, tier))) {
      if (!isSessionId(name)) continue;
      seen.add(name);
      const ends = claimed.get(name) ?? youngerEnds(own, name);
      claimed.delete(name);
      const info = ends ? infoOf(root, name, ends) : unclaimed(root, name, tier, known);
      if (info && !info.ok && !ends) yield* lookAgain(journals, name, tier);
      else if (info) yield info;
      else if (!ends) yield* emptied(journals, name);
    }
  }
  if (known.size > seen.size) for (const name of known.keys()) if (!seen.has(name)) known.delete(name);
  for (const [session_id, ends] of claimed) {
    const info = infoOf(root, session_id as SessionId, ends);
    if (info) yield info;
  }
}

/** Every session that has a folder, or that a journal claims. */
export async function* idsOfSessions(
  journals: Journals,
  own: ListedSessions | undefined,
): AsyncGenerator<Result<SessionId>> {
  const claimed = await claimedSessions(journals, own);
  if (!claimed.ok) {
    yield claimed;
    return;
  }
  const ids = new Set(claimed.value.keys());
  for (const tier of tiers) for (const name of namesIn(sessionsFolder(journals.root, tier))) ids.add(name);
  for (const id of ids) if (isSessionId(id)) yield ok(id);
}

/** The ends of the sessions that a process writes, or wrote when it died. */
export async function claimedSessions(
  journals: Journals,
  own: ListedSessions | undefined,
): Promise<Result<Map<string, Ends>>> {
  const claimed = new Map<string, Ends>();
  if (own) {
    const pending = own.pendingEnds();
    for (const session of own.all()) claimed.set(session.state.session_id, ownEnds(session, pending));
  }
  const looked = await eachJournal(journals, async (scanned) => {
    for (const [session_id, segments] of standingSegments(scanned)) claimed.set(session_id, await endsOf(segments));
    closeJournals(scanned);
  });
  if (!looked.ok) return looked;
  return ok(claimed);
}

/** A session that no process claimed when the journals were read; nothing where it has no events and a writer claims it now. */
export async function unclaimedSession(
  journals: Journals,
  own: ListedSessions | undefined,
  { session_id, tier }: { readonly session_id: SessionId; readonly tier: Tier },
): Promise<Result<SessionInfo> | undefined> {
  const ends = youngerEnds(own, session_id);
  if (ends) return infoOf(journals.root, session_id, ends);
  const info = infoOf(journals.root, session_id, { tier, fileEnd: undefined, first: undefined, last: undefined });
  if (info?.ok) return info;
  const again = info ? lookAgain(journals, session_id, tier) : emptied(journals, session_id);
  for await (const looked of again) return looked;
  return undefined;
}

/**
 * A writer may have claimed the session since the journals were read and be writing this file: its journal then says
 * how far the file is valid.
 */
async function* lookAgain(journals: Journals, session_id: SessionId, tier: Tier): AsyncGenerator<Result<SessionInfo>> {
  const found = await findSegments({ ...journals, without: undefined }, session_id);
  if (!found.ok) {
    yield found;
    return;
  }
  const { segments } = found.value;
  const nobodys: Ends = { tier, fileEnd: undefined, first: undefined, last: undefined };
  const ends = segments.length > 0 ? await endsOf(segments) : nobodys;
  found.value.close();
  const info = infoOf(journals.root, session_id, ends);
  if (info) yield info;
}

/** A file without a line and without a claim: a writer may have claimed it since, or it was emptied. */
async function* emptied(journals: Journals, session_id: SessionId): AsyncGenerator<Result<never>> {
  const file = await emptiedFile(journals, session_id);
  if (!file.ok) yield file;
  else if (file.value !== undefined) yield withoutEvents(file.value, session_id);
}

/**
 * For a session that this process created or opened while it was listing: its file may be half written at this moment.
 */
function youngerEnds(own: ListedSessions | undefined, session_id: SessionId): Ends | undefined {
  const session = own?.session(session_id);
  return own && session && ownEnds(session, own.pendingEnds());
}

function ownEnds({ state, number }: JsonlSession, pending: ReadonlyMap<number, PendingEnds>): Ends {
  const { events } = state.written;
  const ends = pending.get(number);
  return {
    tier: state.tier,
    fileEnd: events.bytes,
    first: events.seq === 0 ? ends?.first : undefined,
    last: ends?.last,
  };
}

function unclaimed(
  root: string,
  session_id: SessionId,
  tier: Tier,
  known: KnownSessions,
): Result<SessionInfo> | undefined {
  const stamp = eventsStamp(root, tier, session_id);
  const before = known.get(session_id);
  if (before?.stamp === stamp) return before.info;
  const info = infoOf(root, session_id, { tier, fileEnd: undefined, first: undefined, last: undefined });
  if (info) known.set(session_id, { stamp, info });
  else known.delete(session_id);
  return info;
}

async function endsOf(segments: readonly Segment[]): Promise<Ends> {
  const [oldest] = segments;
  const newest = segments.findLast((segment) => segment.ranges.length > 0);
  const base = oldest?.base.base.events;
  return {
    tier: oldest?.base.tier ?? "ho1",
    fileEnd: base?.bytes ?? 0,
    first: base?.seq === 0 && oldest && oldest.ranges.length > 0 ? await lineAt(oldest, 0) : undefined,
    last: newest && (await lineAt(newest, newest.ranges.length - 2)),
  };
}

async function lineAt(segment: Segment, index: number): Promise<string> {
  const bytes = Buffer.allocUnsafe(segment.ranges[index + 1] as number);
  await readFully(segment.journal.fd, bytes, segment.ranges[index] as number);
  return bytes.toString("utf8");
}

export function infoOf(root: string, session_id: SessionId, ends: Ends): Result<SessionInfo> | undefined {
  const file = sessionPaths(root, ends.tier, session_id).events;
  let lines: Pick<Ends, "first" | "last"> = ends;
  try {
    if (ends.first === undefined || ends.last === undefined) lines = fromFile(file, ends);
  } catch (thrown) {
    return damaged(file, 0, `the events of ${session_id} cannot be read: ${messageOf(thrown)}`); // the others are listed
  }
  if (lines.first === undefined || lines.last === undefined) return undefined; // claimed, and without events yet
  const first = parseLine(lines.first);
  const last = parseLine(lines.last);
  if (!first.ok) return damaged(file, 0, `the first event of ${session_id} does not verify: ${first.error.message}`);
  if (!last.ok)
    return damaged(file, ends.fileEnd ?? 0, `the last event of ${session_id} does not verify: ${last.error.message}`);
  return ok(describe(session_id, ends.tier, first.value, last.value));
}

function fromFile(file: string, ends: Ends): Pick<Ends, "first" | "last"> {
  if (ends.fileEnd === 0) return ends; // anything written there since is newer than this list
  let fd: number;
  try {
    fd = fs.openSync(file, "r");
  } catch (thrown) {
    if (isMissing(thrown)) return ends;
    throw thrown;
  }
  try {
    const end = ends.fileEnd ?? fs.fstatSync(fd).size;
    return { first: ends.first ?? firstLine(fd), last: ends.last ?? lineEndingAt(fd, end) ?? "" };
  } finally {
    fs.closeSync(fd);
  }
}

export function describe(session_id: SessionId, tier: Tier, first: Envelope, last: Envelope): SessionInfo {
  const start = first.type === "session.start" ? first.payload : {};
  const close = last.type === "session.close" ? last.payload : undefined;
  return {
    session_id,
    tier,
    started_at: first.ts,
    last_at: last.ts,
    events: last.seq,
    head_hash: last.hash,
    work_order_id: textOrNull(start, "work_order_id"),
    parent_session_id: textOrNull(start, "parent_session_id"),
    closed: close !== undefined,
    ok: typeof close?.["ok"] === "boolean" ? close["ok"] : null,
    status: textOrNull(close, "status"),
    ...(typeof close?.["refused_acts"] === "number" ? { refused_acts: close["refused_acts"] } : {}),
    ...(Array.isArray(close?.["notices"]) ? { notices: close["notices"].map(String) } : {}),
  };
}

function textOrNull(payload: unknown, field: string): string | null {
  const value = isJsonObject(payload) ? payload[field] : undefined;
  return typeof value === "string" ? value : null;
}

export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).toSorted();
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}
