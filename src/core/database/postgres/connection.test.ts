import { expect, test } from "vitest";
import { freshDatabase } from "../../../../test/support/postgres/shared-server.ts";
import { sleep } from "../../values/clock.ts";
import { systemClock, systemRandom } from "../../values/system.ts";
import { postgresAddress } from "./address.ts";
import { openPostgres } from "./connection.ts";
import { migratePostgres } from "./migrate.ts";

test("old commit keys are pruned with the first commit of a process, because most processes commit rarely", async () => {
  const address = postgresAddress(await freshDatabase());
  if (!address.ok) throw new Error(address.error.message);
  const open = () => openPostgres(address.value, { clock: systemClock, random: systemRandom });
  const first = await open();
  await migratePostgres(first, "demo", []);
  const [old, young] = [2, 0.5].map((days) => String(systemClock.now() - days * 86_400_000).padStart(15, "0"));
  const { tenant } = address.value;
  await first.rows({ name: "", text: "INSERT INTO writ_commit VALUES ($1, $2), ($1, $3)" }, [tenant, old, young]);
  const left = async () =>
    (
      await first.rows({ name: "", text: "SELECT commit_key FROM writ_commit WHERE commit_key = ANY ($1)" }, [
        [old, young],
      ])
    ).flat();
  const ahead = { ...systemClock, now: () => systemClock.now() + 30 * 86_400_000 }; // its own clock decides nothing
  const next = await openPostgres(address.value, { clock: ahead, random: systemRandom });
  await next.transaction(async (transaction) => transaction.send({ name: "", text: "SELECT 1" }));
  const giveUp = systemClock.monotonic() + 10_000;
  while ((await left()).length > 1 && systemClock.monotonic() < giveUp) await sleep(systemClock, 5); // pruning is not awaited
  expect(await left()).toEqual([young]);
  await Promise.all([first.close(), next.close()]);
});

test("a process opens no more connections than its address allows, and each statement is prepared once on each", async () => {
  const url = await freshDatabase();
  const open = (query: string) => {
    const address = postgresAddress(`${url}?${query}`);
    if (!address.ok) throw new Error(address.error.message);
    return openPostgres(address.value, { clock: systemClock, random: systemRandom });
  };
  const two = await open("pool_size=2");
  // Each query counts the connections while it runs; all run at once.
  const count = {
    name: "test/count",
    text: "SELECT count(*) FROM pg_stat_activity, pg_sleep(0.01) WHERE datname = current_database() AND backend_type = 'client backend'",
  };
  const seen = await Promise.all(Array.from({ length: 12 }, () => two.rows(count)));
  expect(Math.max(...seen.map(([row]) => row?.[0] as number))).toBe(2);
  await two.close();

  const one = await open("pool_size=1");
  for (let time = 0; time < 3; time++) await one.rows(count);
  const prepared = "SELECT name, generic_plans + custom_plans FROM pg_prepared_statements WHERE name = 'test/count'";
  expect(await one.rows({ name: "", text: prepared })).toEqual([["test/count", 3]]);
  await one.close();
});
