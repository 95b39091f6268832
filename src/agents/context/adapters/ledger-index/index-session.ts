import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Database, Statement } from "better-sqlite3";
import { domainError } from "#core/errors";
import { err, isJsonObject, ok, type Result } from "#core/values";
import { type Envelope, emptyHead, type Head } from "#log";
import { searchableText } from "../../ledger/entry-text.ts";
import type { LedgerKind } from "../../ledger/ledger-search.ts";
import { agentOf } from "../../ledger/matches-query.ts";
import { prove } from "../../ledger/scan-session.ts";
import { chainFiles, linesOfFile, type SessionFolder } from "./session-files.ts";

/** Ids of one millisecond. */
export const perMillisecond = 4096;
const ledgers: readonly LedgerKind[] = ["events", "exec", "evidence"];

/** The words that stand for a group and a session in the text index, so that it filters by them without looking at rows. */
export const groupWord = (group: number): string => `xqgroup${group}`;
export const sessionWord = (session: number): string => `xqsession${session}`;

/** One ledger of one session, by its number in the index. */
interface IndexedChain {
  readonly row: number;
  readonly tier: SessionFolder["tier"];
  readonly ledger: LedgerKind;
}

/** An entry, and where its line lies in the file. */
interface IndexedLine {
  readonly entry: Envelope;
  readonly offset: number;
  readonly length: number;
}

/** What is kept of a session beside its entries. */
interface IndexedSession {
  readonly row: number;
  readonly folder: SessionFolder;
  readonly first: Envelope | undefined;
  readonly last: Envelope | undefined;
  readonly ends: ReadonlyMap<LedgerKind, ChainEnd>;
  readonly agents: ReadonlySet<string>;
}

interface ChainEnd extends Head {
  readonly bytes: number;
  readonly last_offset: number;
}

/** Proves the three chains of a closed session and puts their entries into the index. The caller holds the transaction. */
export class SessionIndexer {
  readonly #database: Database;
  readonly #insertEntry: Statement;
  readonly #insertWords: Statement;
  readonly #groups = new Map<string, number>();
  #lastId = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#insertEntry = database.prepare(
      `INSERT OR IGNORE INTO entries (id, session, "group", hash, "offset", length) VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#insertWords = database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
  }

  /** Answers how many entries it has; an error means that nothing of it may stay. */
  async add(session: SessionFolder): Promise<Result<number>> {
    const row = this.#nextSession();
    this.#lastId = 0;
    const ends = new Map<LedgerKind, ChainEnd>();
    const agents = new Set<string>();
    let first: Envelope | undefined;
    let last: Envelope | undefined;
    let count = 0;
    for (const ledger of ledgers) {
      const chain = { row, tier: session.tier, ledger };
      let end: ChainEnd = { ...emptyHead, bytes: 0, last_offset: 0 };
      this.#lastId = 0;
      for (const lines of linesOfFile(join(session.folder, chainFiles[ledger]))) {
        if (!lines.ok) return lines;
        for (const { text, offset, length } of lines.value) {
          const proven = prove(text, end, session.session_id);
          if (!proven.ok)
            return err({
              ...proven.error,
              message: `${session.session_id}, ${ledger} line ${end.seq + 1}: ${proven.error.message}`,
            });
          const entry = proven.value;
          if (ledger === "events") {
            first ??= entry;
            last = entry;
            const agent = agentOf(entry);
            if (agent !== undefined) agents.add(agent);
          }
          this.#put(chain, frameworkOf(first), { entry, offset, length });
          end = { seq: entry.seq, hash: entry.hash, bytes: offset + length + 1, last_offset: offset };
          count += 1;
        }
        await setImmediate(); // a portion at a time: flows go on while a long session is indexed
      }
      ends.set(ledger, end);
    }
    const named = checkHeads(last, ends);
    if (!named.ok) return named;
    this.#putSession({ row, folder: session, first, last, ends, agents });
    return ok(count);
  }

  #nextSession(): number {
    const found = this.#database
      .prepare<[], { next: number }>("SELECT coalesce(max(id), 0) + 1 AS next FROM sessions")
      .get();
    return found?.next ?? 1;
  }

  #put({ row, tier, ledger }: IndexedChain, framework: string, { entry, offset, length }: IndexedLine): void {
    const group = this.#groupOf(tier, framework, ledger, entry.type);
    const hash = Buffer.from(entry.hash, "hex");
    let id = Math.max(Date.parse(entry.ts) * perMillisecond, this.#lastId + 1);
    while (this.#insertEntry.run(id, row, group, hash, offset, length).changes === 0) id += 1;
    this.#lastId = id;
    if (ledger !== "evidence")
      this.#insertWords.run(id, `${searchableText(entry)}\n${groupWord(group)} ${sessionWord(row)}`);
  }

  #groupOf(tier: string, framework: string, ledger: LedgerKind, type: string): number {
    const key = `${tier} ${framework} ${ledger} ${type}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    this.#database
      .prepare("INSERT OR IGNORE INTO groups (tier, framework_id, ledger, type) VALUES (?, ?, ?, ?)")
      .run(tier, framework, ledger, type);
    const found = this.#database
      .prepare<[string, string, string, string], { id: number }>(
        "SELECT id FROM groups WHERE tier = ? AND framework_id = ? AND ledger = ? AND type = ?",
      )
      .get(tier, framework, ledger, type);
    const id = found?.id ?? 0;
    this.#groups.set(key, id);
    return id;
  }

  /** What was remembered of a transaction that is rolled back does not hold. */
  forget(): void {
    this.#groups.clear();
  }

  #putSession({ row, folder: { session_id, tier }, first, last, ends, agents }: IndexedSession): void {
    const order = first && isJsonObject(first.payload) ? first.payload["work_order_id"] : undefined;
    this.#database
      .prepare(
        "INSERT INTO sessions (id, session_id, tier, work_order_id, framework_id, last_at) VALUES (?, ?, ?, ?, ?, ?)",
      )
      .run(row, session_id, tier, typeof order === "string" ? order : null, frameworkOf(first), last?.ts ?? "");
    for (const [ledger, end] of ends)
      this.#database
        .prepare("INSERT INTO chains (session, ledger, head_hash, bytes, last_offset) VALUES (?, ?, ?, ?, ?)")
        .run(row, ledger, Buffer.from(end.hash, "hex"), end.bytes, end.last_offset);
    for (const agent of agents)
      this.#database.prepare("INSERT INTO agents (agent_id, session) VALUES (?, ?)").run(agent, row);
  }
}

function frameworkOf(start: Envelope | undefined): string {
  const framework = start?.type === "session.start" ? start.payload["framework_id"] : undefined;
  return typeof framework === "string" ? framework : "";
}

/** The last event names both ledger heads: a ledger that was cut or exchanged shows here. */
function checkHeads(last: Envelope | undefined, ends: ReadonlyMap<LedgerKind, ChainEnd>): Result<void> {
  if (last?.type !== "session.close")
    return err(domainError("LEDGER_CORRUPT", "the session does not end with session.close"));
  for (const [ledger, field] of [
    ["exec", "exec_head"],
    ["evidence", "evidence_head"],
  ] as const)
    if (last.payload[field] !== ends.get(ledger)?.hash)
      return err(
        domainError("LEDGER_CORRUPT", `${last.session_id}: the ${ledger} ledger does not end where session.close says`),
      );
  return ok(undefined);
}
