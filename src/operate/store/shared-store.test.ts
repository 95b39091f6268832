import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres, type Postgres, postgresAddress } from "#core/database";
import { systemClock, systemRandom } from "#core/values";
import { postgresContractBlobs } from "#governance";
import { freshDatabase } from "../../../test/support/postgres/shared-server.ts";
import { waiting } from "../../../test/support/postgres/waiting.ts";
import { openPostgresSharedStore } from "./postgres-shared-store.ts";
import { sealedValueCases } from "./sealed-values.case.ts";
import { type SharedStoreCase, sharedStoreCases } from "./shared-store.case.ts";
import { openSharedStore } from "./sqlite-shared-store.ts";
import { threadCases } from "./threads.case.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-shared-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const onSqlite: SharedStoreCase = {
  open: async (name, clock) => {
    const store = openSharedStore(join(folder, `${name}.db`), clock);
    if (!store.ok) throw new Error(store.error.message);
    return store.value;
  },
};
sharedStoreCases("SQLite", onSqlite);
sealedValueCases("SQLite", onSqlite);
threadCases("SQLite", onSqlite);

let postgres: Postgres;
beforeAll(async () => {
  const address = postgresAddress(await freshDatabase());
  if (!address.ok) throw new Error(address.error.message);
  postgres = await openPostgres(address.value, { clock: systemClock, random: systemRandom });
});
afterAll(() => postgres.close());

/** Each test is a tenant of its own in one database: what it sees of others would show at once. */
const onPostgres: SharedStoreCase = {
  open: async (tenant, clock) => {
    const store = await openPostgresSharedStore(postgres, { clock, tenant, testTime: clock });
    if (!store.ok) throw new Error(store.error.message);
    return store.value;
  },
};
sharedStoreCases("PostgreSQL", onPostgres);
sealedValueCases("PostgreSQL", onPostgres);
threadCases("PostgreSQL", onPostgres);

test("contexts are let go of by their age, but none that an unfinished order may go on by, and never the law", async () => {
  const opened = await openPostgresSharedStore(postgres, { clock: systemClock });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = opened.value;
  const texts = postgresContractBlobs(postgres);
  const names = ["1.context.json", "2.context.json", "law"];
  await texts.keepTexts(names.map((name) => ({ name, text: "t" })));
  const claim = { work_order_id: "WO-1", idempotency_key: null, order_hash: "h", session_id: "S" };
  await store.claimOrders([claim]);
  const age = (name: string, at: string) =>
    postgres.rows({ name: "", text: `UPDATE kept_texts SET kept_at = '${at}' WHERE name = '${name}'` });
  await postgres.rows({
    name: "",
    text: "UPDATE work_orders SET claimed_at = '2026-01-15T00:00:00.000Z' WHERE work_order_id = 'WO-1'",
  });
  for (const [index, name] of names.entries()) await age(name, `2026-0${index + 1}-01T00:00:00Z`);
  const left = async () => {
    const found = await texts.readTexts(names);
    return found.ok ? found.value.map(({ name }) => name).toSorted() : found;
  };
  const before = "2026-10-01T00:00:00.000Z";
  expect(await store.prune(before, 9)).toMatchObject({ ok: true, value: { contexts: 1, work_orders: 0 } });
  expect(await left()).toEqual(["2.context.json", "law"]);
  await store.finishOrders([{ work_order_id: "WO-1", result: "{}" }]);
  expect(await store.prune(before, 9)).toMatchObject({ ok: true, value: { contexts: 1, work_orders: 1 } });
  expect(await left()).toEqual(["law"]);
});

test("an order whose first share two processes take at once is charged once", async () => {
  const opened = await openPostgresSharedStore(postgres, { clock: systemClock, tenant: "twice" });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = opened.value;
  const take = async (session_id: string, tokens: number, pool_id: string) => {
    const share = { session_id, work_order_id: "WO-1", tokens, usd: 0 };
    return store.takeBudgetShare({ pool_id, token_limit: 1_000, usd_limit: null }, share);
  };
  for (const pool of ["p", "q"]) await take(`before ${pool}`, 1, pool);
  const holder = await postgres.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM budget_pools WHERE tenant_id = 'twice' FOR UPDATE");
  const both = [take("S", 30, "p"), take("S", 30, "p")]; // both have seen that there is no share
  await waiting(postgres, 2);
  await holder.query("COMMIT");
  await holder.end();
  expect(await Promise.all(both)).toEqual([
    { ok: true, value: "p" },
    { ok: true, value: "p" },
  ]);
  expect(await take("S", 40, "q")).toEqual({ ok: true, value: "p" });
  const sums = await postgres.rows({
    name: "",
    text: "SELECT pool_id, tokens FROM budget_pools WHERE tenant_id = 'twice' ORDER BY pool_id",
  });
  expect(sums).toEqual([
    ["p", 41],
    ["q", 1],
  ]);
});
