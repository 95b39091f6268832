import type { Postgres } from "#core/database";
import { sleep, systemClock } from "#core/values";

const waiters = {
  name: "",
  text: "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
};

/** Until so many in this database wait for somebody's lock. */
export async function waiting(postgres: Postgres, count: number): Promise<void> {
  const giveUp = systemClock.monotonic() + 8_000; // nobody waits longer for a lock
  while ((await postgres.rows(waiters)).length < count) {
    if (systemClock.monotonic() > giveUp) throw new Error(`never did ${count} wait for a lock`);
    await sleep(systemClock, 5);
  }
}
