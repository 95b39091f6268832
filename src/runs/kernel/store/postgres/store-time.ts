import { heard, type Transaction } from "#core/database";
import type { Clock } from "#core/values";
import { sql } from "./sql.ts";

/** The time of leases: the database's own, so that no machine's clock decides who holds what. A test may hand in another. */
export interface StoreTime {
  /** What a query is given in place of the database's time: null, unless a test owns time. */
  readonly given: () => number | null;
  /** Read once in a transaction, behind the locks that it waited for: what it locks later it does not wait for. */
  read(transaction: Transaction): Promise<number>;
}

const databaseTime = sql("database-time");

export function storeTime(clock: Clock | undefined): StoreTime {
  if (clock) return { given: () => clock.now(), read: () => Promise.resolve(clock.now()) };
  const known = new WeakMap<Transaction, Promise<number>>();
  return {
    given: () => null,
    read(transaction) {
      const read = known.get(transaction) ?? heard(transaction.rows(databaseTime).then(([row]) => row?.[0] as number));
      known.set(transaction, read);
      return read;
    },
  };
}
