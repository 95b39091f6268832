import { ignoreUnhandled, type Transaction } from "#core/database";
import type { Clock } from "#core/values";
import { sql } from "./sql.ts";

/** The time of leases: the database's own, so that no machine's clock decides about a lease. A test may replace it. */
export interface StoreTime {
  /** A query's parameter for the time: null, for the database's own, unless a test replaces it. */
  readonly given: () => number | null;
  /** Read once per transaction, after the locks that it waits for; it does not wait for later locks. */
  read(transaction: Transaction): Promise<number>;
}

const databaseTime = sql("database-time");

export function storeTime(clock: Clock | undefined): StoreTime {
  if (clock) return { given: () => clock.now(), read: () => Promise.resolve(clock.now()) };
  const known = new WeakMap<Transaction, Promise<number>>();
  return {
    given: () => null,
    read(transaction) {
      const read =
        known.get(transaction) ?? ignoreUnhandled(transaction.rows(databaseTime).then(([row]) => row?.[0] as number));
      known.set(transaction, read);
      return read;
    },
  };
}
