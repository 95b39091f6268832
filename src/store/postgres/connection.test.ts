import { expect, test } from "vitest";
import { sleep, systemClock, systemRandom } from "#base";
import { freshDatabase } from "../../../test/support/postgres/shared-server.ts";
import { postgresAddress } from "./address.ts";
import { openPostgres } from "./connection.ts";
import { migratePostgres } from "./migrate.ts";

test("the keys of old commits go with the first commit of a process: most processes make few", async () => {
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
  const next = await open();
  await next.transaction(async (transaction) => transaction.send({ name: "", text: "SELECT 1" }));
  const giveUp = systemClock.monotonic() + 10_000;
  while ((await left()).length > 1 && systemClock.monotonic() < giveUp) await sleep(systemClock, 5); // nobody waits for it
  expect(await left()).toEqual([young]);
  await Promise.all([first.close(), next.close()]);
});
