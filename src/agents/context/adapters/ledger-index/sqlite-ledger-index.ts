import { join } from "node:path";
import { domainError, messageOf } from "#core/errors";
import { type Clock, err, ok, type Result, sleep } from "#core/values";
import { isTier } from "#log";
import type { LedgerAnswer, LedgerHit, LedgerQuery, LedgerSearch } from "../../ledger/ledger-search.ts";
import { matchesQuery } from "../../ledger/matches-query.ts";
import { answer } from "../../ledger/scan-ledgers.ts";
import { findRows } from "./find-rows.ts";
import { perMillisecond } from "./index-session.ts";
import { Refresher } from "./refresher.ts";
import { discard, type IndexDatabase, isDamage, openIndex } from "./schema.ts";
import { type IndexedRow, VerifiedLines } from "./verified-lines.ts";

export interface LedgerIndexOptions {
  /** The workspace. */
  readonly root: string;
  readonly clock: Clock;
  /** How old the index may be before a search looks for new sessions. */
  readonly refreshMs?: number;
  /** How long a search waits for new sessions to be indexed before it answers with what is there. */
  readonly waitMs?: number;
}

/** A search that tests each entry itself (`where`, `actors`) gives up after so many. */
const maxRead = 20_000;

/**
 * Finds entries of closed sessions in a workspace of any size. The index is never a source: it says where to look, the
 * entries are read from the log and proven, and an index that does not fit the log is thrown away and made again.
 */
export class SqliteLedgerIndex implements LedgerSearch {
  readonly #options: LedgerIndexOptions;
  readonly #file: string;
  #database: IndexDatabase | undefined;
  #refresher: Refresher | undefined;

  constructor(options: LedgerIndexOptions) {
    this.#options = options;
    this.#file = join(options.root, "planes", "hot", "index", "ledgers.sqlite");
  }

  async search(query: LedgerQuery, signal: AbortSignal): Promise<Result<LedgerAnswer>> {
    for (const attempt of ["first", "anew"] as const) {
      try {
        return await this.#search(query, signal);
      } catch (thrown) {
        if (attempt === "anew" || !isDamage(thrown))
          return err(
            domainError("STORE_UNAVAILABLE", `the ledger index failed: ${messageOf(thrown)}`, { cause: thrown }),
          );
        await this.close();
        discard(this.#file);
      }
    }
    return err(domainError("STORE_UNAVAILABLE", "the ledger index failed"));
  }

  /** Brings every closed session into the index; for those who want to wait for it. */
  async refresh(): Promise<Result<{ readonly entries: number }>> {
    const opened = this.#open();
    if (!opened.ok) return opened;
    return ok({ entries: await opened.value.refresher.run() });
  }

  async close(): Promise<void> {
    await this.#refresher?.stop();
    this.#database?.reader.close();
    this.#database?.writer.close();
    this.#database = undefined;
    this.#refresher = undefined;
  }

  async #search(query: LedgerQuery, signal: AbortSignal): Promise<Result<LedgerAnswer>> {
    const opened = this.#open();
    if (!opened.ok) return opened;
    const { database, refresher } = opened.value;
    const { clock, refreshMs = 1_000, waitMs = 250 } = this.#options;
    const running = refresher.runIfOlderThan(refreshMs);
    if (running) {
      const done = new AbortController();
      const waited = sleep(clock, waitMs, AbortSignal.any([signal, done.signal]));
      await Promise.race([running, waited]);
      done.abort();
    }
    const lines = new VerifiedLines(this.#options.root, query.ledger, database.reader);
    try {
      const { hits: read, capped } = collect(findRows(database.reader, query), lines, query, signal);
      const stale = new Set(lines.stale.values());
      const hits = read.filter(({ entry }) => !stale.has(entry.session_id));
      const warnings = [...lines.stale.values()].map((id) => `${id} has changed since it was indexed and is left out`);
      if (capped) warnings.push(`only the first ${maxRead} entries were looked at`);
      warnings.push(...refresher.warnings());
      if (lines.stale.size > 0) refresher.drop([...lines.stale.keys()]);
      return ok(answer(hits, query, warnings));
    } finally {
      lines.close();
    }
  }

  #open(): Result<{ readonly database: IndexDatabase; readonly refresher: Refresher }> {
    if (!this.#database || !this.#refresher) {
      const opened = openIndex(this.#file);
      if (!opened.ok) return opened;
      this.#database = opened.value;
      this.#refresher = new Refresher(this.#options.root, opened.value.writer, this.#options.clock);
    }
    return ok({ database: this.#database, refresher: this.#refresher });
  }
}

/** Reads rows in order until there are enough. Those of the last millisecond are all read: their order is not the index's. */
function collect(
  rows: Iterable<IndexedRow>,
  lines: VerifiedLines,
  query: LedgerQuery,
  signal: AbortSignal,
): { readonly hits: readonly LedgerHit[]; readonly capped: boolean } {
  const hits: LedgerHit[] = [];
  let lastMs = -1;
  let read = 0;
  for (const row of rows) {
    const ms = Math.floor(row.id / perMillisecond);
    if ((hits.length >= query.limit && ms !== lastMs) || signal.aborted) break;
    read += 1;
    if (read > maxRead) return { hits, capped: true };
    const entry = lines.read(row);
    if (!entry || entry.session_id === query.except_session_id || !matchesQuery(entry, query)) continue;
    const tier = lines.tierOf(row.session);
    if (!isTier(tier)) continue;
    hits.push({ tier, ledger: query.ledger, entry });
    lastMs = ms;
  }
  return { hits, capped: false };
}
