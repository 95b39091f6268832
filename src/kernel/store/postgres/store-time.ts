import type { Clock } from "#base";
import { heard, type Transaction } from "#store";
import { sql } from "./sql.ts";

/** The time of leases: the database's own, so that no machine's clock decides who holds what. A test may hand in another. */
export interface StoreTime {
  /** What a query is given in place of the database's time: null, unless a test owns time. */
  readonly given: () => number | null;
  read(transaction: Transaction): Promise<number>;
}

const databaseTime = sql("database-time");

export function storeTime(clock: Clock | undefined): StoreTime {
  if (clock) return { given: () => clock.now(), read: () => Promise.resolve(clock.now()) };
  return {
    given: () => null,
    read(transaction) {
      return heard(transaction.rows(databaseTime).then(([row]) => row?.[0] as number));
    },
  };
}
