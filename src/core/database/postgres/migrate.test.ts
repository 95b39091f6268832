import { expect, test } from "vitest";
import { freshDatabase } from "../../../../test/support/postgres/shared-server.ts";
import { systemClock, systemRandom } from "../../values/system.ts";
import { postgresAddress } from "./address.ts";
import { openPostgres } from "./connection.ts";
import { migratePostgres } from "./migrate.ts";
import { queryShapes } from "./query-shape.ts";

test("a step may take longer than any statement, and a process that starts meanwhile waits for it", async () => {
  const address = postgresAddress(await freshDatabase());
  if (!address.ok) throw new Error(address.error.message);
  // 50 ms represent the usual limit of 30 s, and the step an index over many rows.
  const [first, second] = await Promise.all(
    [1, 2].map(() => openPostgres(address.value, { clock: systemClock, random: systemRandom, statementTimeoutMs: 50 })),
  );
  if (!first || !second) throw new Error("both are open");
  const sql = "CREATE TABLE made AS SELECT pg_sleep(0.3)::text AS slept;\n";
  const steps = [{ number: 1, name: "large", sql }];
  const migrated = await Promise.all([first, second].map((postgres) => migratePostgres(postgres, "demo", steps)));
  expect(migrated).toEqual([{ ok: true }, { ok: true }].map((result) => expect.objectContaining(result)));
  const shown = await Promise.all(
    ["statement_timeout", "lock_timeout"].map((name) => first.rows({ name: "", text: `SHOW ${name}` })),
  );
  expect(shown.flat(2)).toEqual(["50ms", "50ms"]); // as before, behind it
  await Promise.all([first.close(), second.close()]);
});

test("the driver does not time out a statement that has no timeout", () => {
  const shapeOf = queryShapes({ named: true });
  const timeoutOf = (options: object) =>
    (shapeOf({ name: "n", text: "SELECT", ...options }) as { query_timeout?: number }).query_timeout;
  expect([timeoutOf({}), timeoutOf({ hasNoTimeout: true })]).toEqual([undefined, 2 ** 31 - 1]);
});
