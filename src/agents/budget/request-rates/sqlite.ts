import type { Migration } from "#core/database";
import { openSqlite, type Sqlite } from "#core/database";
import { domainError, messageOf } from "#core/errors";
import { type Clock, err, ok, type Result } from "#core/values";
import {
  decideSlice,
  fullBuckets,
  type RateAsk,
  type RateLimits,
  type RateSlice,
  type RateState,
} from "./rate-bucket.ts";
import type { RateStore } from "./rate-store.ts";

export const rateMigrations: readonly Migration[] = [
  {
    number: 1,
    name: "rate-buckets",
    sql: `
      CREATE TABLE rate_buckets (
        tenant_id TEXT NOT NULL,
        bucket_id TEXT NOT NULL,
        requests REAL NOT NULL,
        tokens REAL NOT NULL,
        at_ms REAL NOT NULL,
        paused_until_ms REAL NOT NULL,
        PRIMARY KEY (tenant_id, bucket_id)
      ) STRICT, WITHOUT ROWID;
    `,
  },
];

/**
 * The pace of a minute need not survive a power cut, so it has a connection that does not wait for the disk: a slice costs
 * no sync. Opened when the first is taken: most commands call no model.
 */
export class SqliteRates implements RateStore {
  readonly #file: string;
  readonly #tenant: string;
  readonly #clock: Clock;
  #database: Sqlite | undefined;
  #take: ((bucket_id: string, limits: RateLimits, ask: RateAsk) => RateSlice) | undefined;

  constructor(file: string, tenant: string, clock: Clock) {
    this.#file = file;
    this.#tenant = tenant;
    this.#clock = clock;
  }

  takeRate(bucket_id: string, limits: RateLimits, ask: RateAsk): Result<RateSlice> {
    try {
      const take = this.#take ?? this.#open();
      return typeof take === "function" ? ok(take(bucket_id, limits, ask)) : take;
    } catch (thrown) {
      return err(
        domainError("STORE_UNAVAILABLE", `the rate limit cannot be kept: ${messageOf(thrown)}`, { cause: thrown }),
      );
    }
  }

  close(): void {
    this.#database?.close();
  }

  #open() {
    const opened = openSqlite(this.#file);
    if (!opened.ok) return opened;
    this.#database = opened.value;
    this.#database.pragma("synchronous = NORMAL");
    this.#take = takeFrom(this.#database, this.#tenant, this.#clock);
    return this.#take;
  }
}

function takeFrom(database: Sqlite, tenant: string, clock: Clock) {
  const read = database.prepare<[string, string], RateState>(
    "SELECT requests, tokens, at_ms, paused_until_ms FROM rate_buckets WHERE tenant_id = ? AND bucket_id = ?",
  );
  const write = database.prepare(
    `INSERT INTO rate_buckets (tenant_id, bucket_id, requests, tokens, at_ms, paused_until_ms) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant_id, bucket_id) DO UPDATE SET requests = excluded.requests, tokens = excluded.tokens,
       at_ms = excluded.at_ms, paused_until_ms = excluded.paused_until_ms`,
  );
  return database.transaction((bucket_id: string, limits: RateLimits, ask: RateAsk): RateSlice => {
    const now = clock.machine().ms; // all processes share it, and it cannot be set
    const before = read.get(tenant, bucket_id) ?? fullBuckets(limits, now);
    const { after, slice } = decideSlice(before, limits, ask, now);
    write.run(tenant, bucket_id, after.requests, after.tokens, after.at_ms, after.paused_until_ms);
    return slice;
  }).immediate;
}
