import * as fs from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { isMissing } from "#core/errors";
import { type Envelope, parseLine } from "#log";
import type { LedgerKind } from "../../ledger/ledger-search.ts";
import { chainFiles } from "./session-files.ts";

export interface IndexedRow {
  readonly id: number;
  readonly session: number;
  readonly group: number;
  readonly hash: Buffer;
  readonly offset: number;
  readonly length: number;
}

interface Chain {
  readonly session_id: string;
  readonly tier: string;
  readonly head_hash: Buffer;
  readonly bytes: number;
  readonly last_offset: number;
}

/**
 * Reads entries from the log where the index says they are. The file must still end in the head that was indexed, and the line
 * must be, byte for byte, the one that was proven then. A session that fails this is stale: nothing of it is given.
 */
export class VerifiedLines {
  readonly stale: Map<number, string> = new Map();
  readonly #root: string;
  readonly #ledger: LedgerKind;
  readonly #database: Database;
  readonly #open = new Map<number, number>();
  readonly #tiers = new Map<number, string>();

  constructor(root: string, ledger: LedgerKind, database: Database) {
    this.#root = root;
    this.#ledger = ledger;
    this.#database = database;
  }

  read(row: IndexedRow): Envelope | undefined {
    const fd = this.#open.get(row.session) ?? this.#openChain(row.session);
    if (fd === undefined || this.stale.has(row.session)) return undefined;
    const entry = lineAt(fd, row.offset, row.length, row.hash);
    if (!entry) this.#markStale(row.session);
    return entry;
  }

  /** Of a session that an entry was read from. */
  tierOf(session: number): string | undefined {
    return this.#tiers.get(session);
  }

  close(): void {
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }

  #openChain(session: number): number | undefined {
    if (this.stale.has(session)) return undefined;
    const chain = this.#database
      .prepare<[number, string], Chain>(
        "SELECT session_id, tier, head_hash, bytes, last_offset FROM chains JOIN sessions ON sessions.id = chains.session WHERE session = ? AND ledger = ?",
      )
      .get(session, this.#ledger);
    if (!chain) return undefined;
    const file = join(this.#root, "planes", chain.tier, "sessions", chain.session_id, chainFiles[this.#ledger]);
    let fd: number;
    try {
      fd = fs.openSync(file, "r");
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
      this.#markStale(session);
      return undefined;
    }
    this.#open.set(session, fd);
    this.#tiers.set(session, chain.tier);
    const { bytes, last_offset, head_hash } = chain;
    if (fs.fstatSync(fd).size !== bytes || !lineAt(fd, last_offset, bytes - last_offset - 1, head_hash)) {
      this.#markStale(session);
      return undefined;
    }
    return fd;
  }

  #markStale(session: number): void {
    const found = this.#database
      .prepare<[number], { session_id: string }>("SELECT session_id FROM sessions WHERE id = ?")
      .get(session);
    this.stale.set(session, found?.session_id ?? String(session));
  }
}

function lineAt(fd: number, offset: number, length: number, hash: Buffer): Envelope | undefined {
  const bytes = Buffer.allocUnsafe(length);
  if (fs.readSync(fd, bytes, 0, length, offset) !== length) return undefined;
  const entry = parseLine(bytes.toString("utf8"));
  return entry.ok && entry.value.hash === hash.toString("hex") ? entry.value : undefined;
}
