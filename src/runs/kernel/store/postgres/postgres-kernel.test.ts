import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { migratePostgres, openPostgres, type Postgres, postgresAddress } from "#core/database";
import { type Clock, createIds, type Result, seededRandom, systemClock, systemRandom, type WorkId } from "#core/values";
import { freshDatabase } from "../../../../../test/support/postgres/shared-server.ts";
import { waiting } from "../../../../../test/support/postgres/waiting.ts";
import { manualClock } from "../../../../core/values/manual-clock.ts";
import type { Command, CommandKind, CommandOf, Outcomes } from "../../commands.ts";
import { createKernel } from "../../kernel.ts";
import type { Lease } from "../../records.ts";
import { kernelFenceCases } from "../kernel-fences.case.ts";
import { kernelStoreCases } from "../kernel-store.case.ts";
import { kernelTurnCases } from "../kernel-turns.case.ts";
import type { KernelStore } from "../port.ts";
import { code, must, type StoreCase } from "../store-bench.case.ts";
import { kernelMigrations } from "./migrations.ts";
import { openPostgresKernel } from "./open.ts";
import { sql } from "./sql.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openPostgres(must(postgresAddress(await freshDatabase())), {
    clock: systemClock,
    random: systemRandom,
  });
});
afterAll(() => postgres.close());

/** Each test is a tenant of its own in one database: what it sees of others would show at once. */
const driver: StoreCase = {
  open: async (name, clock, tenant = "default") =>
    must(await openPostgresKernel(postgres, { clock, testTime: clock, tenant: `${name}/${tenant}` })),
};
kernelStoreCases("PostgreSQL", driver);
kernelTurnCases("PostgreSQL", driver);
kernelFenceCases("PostgreSQL", driver);

describe("several processes on PostgreSQL", () => {
  const clock = manualClock();
  const ids = createIds(clock, seededRandom(3));

  test("open an empty database at once, and an older program refuses the tables of a newer one", async () => {
    const address = must(postgresAddress(await freshDatabase()));
    const open = async () => {
      const connection = await openPostgres(address, { clock: systemClock, random: systemRandom });
      const opened = await openPostgresKernel(connection, { clock: systemClock });
      await connection.close();
      return code(opened);
    };
    expect(await Promise.all(Array.from({ length: 6 }, open))).toEqual(Array.from({ length: 6 }, () => "ok"));
    const admin = await openPostgres(address, { clock: systemClock, random: systemRandom });
    await admin.rows({
      name: "",
      text: "INSERT INTO writ_migrations (component, number, name) VALUES ('kernel', 99, 'later')",
    });
    await admin.close();
    expect(await open()).toBe("STORE_TOO_NEW");
  });

  test("tables of the first version are brought up to date with what was ready, delayed, leased and open in them", async () => {
    const address = must(postgresAddress(await freshDatabase()));
    const connection = await openPostgres(address, { clock: systemClock, random: systemRandom });
    must(await migratePostgres(connection, "kernel", kernelMigrations.slice(0, 1)));
    const insert = async (text: string) => connection.rows({ name: "", text });
    await insert(`INSERT INTO run (tenant_id, run_id, app_id, objective, status, created_at, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_epoch, turn_applied_epoch, turn_failures, turn_not_before)
      VALUES ('${address.tenant}', 'r', 'demo', 'o', 'active', 1, 1, false, 1, 3, 1, 1, 0, 0, 0, 0)`);
    await insert(`INSERT INTO work_item (tenant_id, run_id, work_id, capability, objective, depends_on, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, rank, not_before, waiting_on, dependents, ready, open, created_at, updated_at)
      VALUES ('${address.tenant}', 'r', 'ready', 'c', 'o', '[]', 'queued', NULL, NULL, 0, 0, 3, 0, NULL, 0, 0, true, true, 1, 1),
        ('${address.tenant}', 'r', 'delayed', 'c', 'o', '[]', 'queued', NULL, NULL, 0, 0, 3, 0, 500, 0, 0, false, true, 1, 1),
        ('${address.tenant}', 'r', 'leased', 'c', 'o', '[]', 'leased', 'gone', 100, 1, 0, 3, 0, NULL, 0, 0, false, true, 1, 1),
        ('${address.tenant}', 'r', 'ended', 'c', 'o', '[]', 'completed', NULL, NULL, 1, 0, 3, 0, NULL, 0, 0, false, false, 1, 1)`);
    const at = manualClock(200);
    const store = must(await openPostgresKernel(connection, { clock: at, testTime: at }));
    const claim = { kind: "claim_work", capabilities: ["c"], limit: 9, lease_owner: "w", lease_ms: 60_000 } as const;
    const leases = async (): Promise<readonly Lease[]> => {
      const { results } = must(await store.commit([{ kind: "sweep", limit: 9 }, claim]));
      return must(results[1] as Result<readonly Lease[]>);
    };
    expect((await leases()).map(({ work_id }) => work_id)).toEqual(["ready"]);
    at.advance(60_000 - 1);
    expect((await leases()).map(({ work_id }) => work_id)).toEqual(["delayed", "leased"]);
    const open = must(await store.read.openWork("r" as never, 9));
    expect(open.map(({ work_id }) => work_id)).toEqual(["ready", "delayed", "leased"]);
    expect(await disagreements(connection)).toEqual([]);
    await connection.close();
  });

  test("a number that PostgreSQL cannot hold is refused alone: its neighbours in the batch are committed", async () => {
    const store = await driver.open("neighbours", clock);
    const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
    const begin = () => kernel.startRun({ app_id: "demo", objective: "o", actor_id: "ada" });
    const { run_id } = must(await begin());
    const request = { work_id: ids.workId(), capability: "c", objective: "o", depends_on: [], idempotency_key: null };
    const together = [
      begin(),
      kernel.submit<"request_work">({
        kind: "request_work",
        run_id,
        actor_id: "demo",
        work: [{ ...request, not_before: 2 ** 63 }],
      }),
      begin(),
    ] as const;
    const [first, broken, last] = await Promise.all(together);
    expect([first, broken, last].map(code)).toEqual(["ok", "MALFORMED_INPUT", "ok"]);
    expect(broken).toMatchObject({ error: { retryable: false, details: { sqlstate: "22003" } } });
  });

  test("start one run concurrently under the same id: it is started once, and both get it", async () => {
    const store = await driver.open("same-name", clock);
    const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
    const run_id = ids.runId();
    const other = await postgres.connect();
    await other.query("BEGIN");
    await other.query(
      `INSERT INTO run (tenant_id, run_id, app_id, objective, status, created_at, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_epoch, turn_applied_epoch, turn_failures, turn_not_before)
      VALUES ('same-name/default', $1, 'demo', 'o', 'active', 1, 1, false, 1, 0, 1, 1, 0, 0, 0, 0)`,
      [run_id],
    );
    const started = kernel.startRun({ run_id, app_id: "demo", objective: "o", actor_id: "ada" });
    await waiting(postgres, 1);
    await other.query("COMMIT");
    await other.end();
    expect(must(await started)).toMatchObject({ run_id, created_at: 1 });
  });

  test("return expired leases by the database's time, however wrong their own is", async () => {
    const late: Clock = { ...systemClock, now: () => systemClock.now() + 86_400_000 };
    const open = async () => must(await openPostgresKernel(postgres, { clock: late, tenant: "late" }));
    const [first, second] = [await open(), await open()];
    const run_id = ids.runId();
    const work = { work_id: ids.workId(), capability: "c", objective: "o", depends_on: [], idempotency_key: null };
    const claim = { kind: "claim_work", capabilities: ["c"], limit: 1, lease_owner: "w", lease_ms: 1 } as const;
    must(
      await first.commit([
        { kind: "start_run", run_id, app_id: "demo", objective: "o", actor_id: "ada" },
        { kind: "request_work", run_id, actor_id: "demo", work: [work] },
        claim,
      ]),
    );
    await postgres.rows({ name: "", text: "SELECT pg_sleep(0.005)" }); // the lease is over
    must(await second.commit([claim]));
    const events = must(await first.read.events(run_id, { after: 0, limit: 9 }));
    expect(events.map(({ event_type }) => event_type)).toContain("work.requeued");
  });

  test("share one run: every item is leased once, and each worker gets items while there is work", async () => {
    const say = async <K extends CommandKind>(store: KernelStore, command: CommandOf<K>): Promise<Outcomes[K]> =>
      must(must(await store.commit([command])).results[0] as Result<Outcomes[K]>);
    const stores = await Promise.all(Array.from({ length: 4 }, () => driver.open("one-run", clock)));
    const [first] = stores as [KernelStore];
    const run_id = ids.runId();
    await say<"start_run">(first, { kind: "start_run", run_id, app_id: "demo", objective: "o", actor_id: "ada" });
    const work = Array.from({ length: 400 }, () => ({
      work_id: ids.workId(),
      capability: "c",
      objective: "o",
      depends_on: [],
      idempotency_key: null,
    }));
    await say<"request_work">(first, { kind: "request_work", run_id, actor_id: "demo", work });
    const claim = { kind: "claim_work", capabilities: ["c"], limit: 10, lease_owner: "w", lease_ms: 1_000 } as const;
    const worker = async (store: KernelStore): Promise<readonly Lease[]> => {
      const leases: Lease[] = [];
      for (;;) {
        const got = await say<"claim_work">(store, claim);
        if (got.length === 0) return leases;
        leases.push(...got);
      }
    };
    const leased = (await Promise.all(stores.map(worker))).flat();
    expect(leased).toHaveLength(400);
    expect(new Set(leased.map((lease) => lease.work_id)).size).toBe(400);
    const done = await Promise.all(
      stores.map((store, index) =>
        store.commit(
          leased
            .filter((_, place) => place % stores.length === index)
            .map((lease) => ({ kind: "complete_work", lease, patches: [] })),
        ),
      ),
    );
    expect(done.flatMap((report) => must(report).results).filter((result) => !result.ok)).toEqual([]);
    const events = must(await first.read.events(run_id, { after: 0, limit: 2_000 }));
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  });

  /** A tenant with one run, and functions that submit commands to its store. */
  const oneRun = async (name: string) => {
    const at = manualClock(1_000);
    const store = await driver.open(name, at);
    const run_id = ids.runId();
    const say = async (...commands: readonly Command[]): Promise<readonly unknown[]> =>
      must(await store.commit(commands)).results.map((result) => must(result as Result<unknown>));
    await say({ kind: "start_run", run_id, app_id: "demo", objective: "o", actor_id: "ada" });
    const request = (...names: readonly string[]): CommandOf<"request_work"> => ({
      kind: "request_work",
      run_id,
      actor_id: "demo",
      work: names.map((work_id) => ({
        work_id: work_id as WorkId,
        capability: "c",
        objective: `do ${work_id}`,
        depends_on: [],
        idempotency_key: null,
      })),
    });
    const claim = { kind: "claim_work", capabilities: ["c"], limit: 9, lease_owner: "w", lease_ms: 1_000 } as const;
    return { at, store, run_id, say, request, claim };
  };
  const numbered = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from + 1 }, (_, index) => `w${String(from + index).padStart(3, "0")}`);

  test("events that are alike share a row, and a page may begin and end within one", async () => {
    const { store, run_id, say, request } = await oneRun("events-together");
    await say(request(...numbered(1, 99)));
    const [[rows] = []] = await postgres.rows({
      name: "",
      text: `SELECT count(*) FROM event_log WHERE run_id = '${run_id}'`,
    });
    expect(rows).toBeLessThan(40);
    const all = must(await store.read.events(run_id, { after: 0, limit: 1_000 }));
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(all.slice(1).map(({ payload }) => payload["work_id"])).toEqual(numbered(1, 99));
    for (const after of [0, 1, 2, 17, 50, 99, 100]) {
      const page = must(await store.read.events(run_id, { after, limit: 7 }));
      expect(page).toEqual(all.slice(after, after + 7));
    }
  });

  test("work asked for again is recognised, whatever was asked for around it meanwhile", async () => {
    const { store, run_id, say, request } = await oneRun("asked-again");
    await say(request("w010", "w020"), request(...numbered(30, 60)));
    expect(await say(request("w005", "w020", "w025"))).toEqual([["w005", "w020", "w025"]]); // others lie above the lowest
    expect(await say(request("w060", "w061"))).toEqual([["w060", "w061"]]);
    expect(await say(request("ｗ1", "𝕨2"), request("𝕨2", "ｗ0"))).toEqual([
      ["ｗ1", "𝕨2"],
      ["𝕨2", "ｗ0"],
    ]); // bytes are in another order than characters
    expect(await say(request("𝕨2", "ｗ1"))).toEqual([["𝕨2", "ｗ1"]]);
    const items = must(await store.read.workItems(run_id));
    expect(items).toHaveLength(2 + 31 + 2 + 1 + 3);
    expect(new Set(items.map(({ work_id }) => work_id)).size).toBe(items.length);
  });

  test("work that is claimed in the commit that asks for it is leased like any other: ended once, or taken back", async () => {
    const { at, store, run_id, say, request, claim } = await oneRun("asked-and-leased");
    const [, leases] = (await say(request("a", "b"), claim)) as [unknown, readonly Lease[]];
    expect(leases.map(({ work_id, lease_epoch, objective }) => [work_id, lease_epoch, objective])).toEqual([
      ["a", 1, "do a"],
      ["b", 1, "do b"],
    ]);
    const [first] = leases as [Lease];
    await say({ kind: "complete_work", lease: first, patches: [] });
    at.advance(1_000);
    await say({ kind: "sweep", limit: 9 });
    at.advance(60_000); // the pause before another try
    const [again] = (await say(claim)) as [readonly Lease[]];
    expect(again.map(({ work_id, lease_epoch }) => [work_id, lease_epoch])).toEqual([["b", 2]]);
    // What was ready before goes first, and what does not fit stands in line.
    const [, , more] = (await say(request("c"), request(...numbered(1, 12)), claim)) as [
      unknown,
      unknown,
      readonly Lease[],
    ];
    expect(more.map(({ work_id }) => work_id)).toEqual(["c", ...numbered(1, 8)]);
    const [rest] = (await say(claim)) as [readonly Lease[]];
    expect(rest.map(({ work_id }) => work_id)).toEqual(numbered(9, 12));
    const events = must(await store.read.events(run_id, { after: 0, limit: 100 }));
    expect(events.filter(({ event_type }) => event_type === "work.leased")).toHaveLength(2 + 1 + 9 + 4);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  test("a pooler in transaction mode is served without named statements", async () => {
    const address = must(postgresAddress(`${await freshDatabase()}?pooler=transaction&pool_size=2`));
    const connection = await openPostgres(address, { clock: systemClock, random: systemRandom });
    const store = must(await openPostgresKernel(connection, { clock: systemClock }));
    const run_id = ids.runId();
    must(await store.commit([{ kind: "start_run", run_id, app_id: "demo", objective: "o", actor_id: "ada" }]));
    const prepared = await connection.rows({
      name: "",
      text: "SELECT count(*) FROM pg_prepared_statements WHERE name <> ''",
    });
    expect(prepared).toEqual([[0]]);
    await connection.close();
  });

  test("a claim reads the partial indexes, whatever lies finished beside them", async () => {
    const explain = async (name: string, values: readonly unknown[]): Promise<string> => {
      const { text } = sql(name);
      const rows = await postgres.transaction(async (transaction) => {
        await transaction.rows({ name: "", text: "SET LOCAL enable_seqscan = off" });
        return transaction.rows({ name: "", text: `EXPLAIN (COSTS off) ${text}` }, values);
      });
      return rows.map(([line]) => line).join("\n");
    };
    expect(await explain("find-lanes", ["t", ["c"], [""], 0, 16])).not.toContain("Seq Scan on work_item");
    expect(await explain("find-lanes", ["t", ["c"], [""], 0, 16])).toContain("using work_ready");
    expect(await explain("ready-in-lanes", ["t", ["c"], ["r"], 0, [1], [0]])).toContain("using work_ready");
    expect(await explain("lock-expired", ["t", null, 9, 0])).toContain("using work_leased");
    expect(await explain("lock-due-runs", ["t", "a", null, 9])).toContain("using run_due");
    expect(await explain("promote-due-work", ["t", null, 9])).toContain("using work_delayed");
  });
});

/** Items that stand in another queue than their own state says, and blocks that count others than lie in them. */
async function disagreements(connection: Postgres): Promise<readonly unknown[]> {
  const items = await connection.rows({
    name: "",
    text: `SELECT item.tenant_id, item.work_id, item.status, ready.number, delayed.number
      FROM work_item AS item
      FULL JOIN (SELECT tenant_id, unnest(numbers) AS number FROM work_ready) AS ready USING (tenant_id, number)
      FULL JOIN work_delayed AS delayed USING (tenant_id, number)
      WHERE item.ready IS DISTINCT FROM (ready.number IS NOT NULL)
        OR (item.status = 'queued' AND NOT item.ready AND item.waiting_on = 0) IS DISTINCT FROM (delayed.number IS NOT NULL)
        OR (item.status = 'leased' AND NOT EXISTS (
          SELECT 1 FROM work_leased AS watched
          WHERE watched.tenant_id = item.tenant_id AND watched.run_id = item.run_id
            AND watched.lease_expires_at = item.lease_expires_at AND item.number = ANY (watched.numbers)))`,
  });
  const blocks = await connection.rows({
    name: "",
    text: `SELECT tenant_id, run_id, block, counted.items, open.items
      FROM (
        SELECT tenant_id, run_id, number >> 8 AS block, count(*) AS items FROM work_item
        WHERE status IN ('queued', 'leased') GROUP BY 1, 2, 3
      ) AS counted
      FULL JOIN work_open AS open USING (tenant_id, run_id, block)
      WHERE counted.items IS DISTINCT FROM open.items`,
  });
  const ready = await connection.rows({
    name: "",
    text: `SELECT ready.tenant_id, ready.run_id, ready.number, ready.numbers::text
      FROM work_ready AS ready
      WHERE ready.number <> ready.numbers[1] OR cardinality(ready.numbers) > 128 OR EXISTS (
        SELECT 1 FROM unnest(ready.numbers) AS named (number)
        LEFT JOIN work_item AS item ON item.number = named.number AND item.tenant_id = ready.tenant_id
          AND item.run_id = ready.run_id AND item.capability = ready.capability AND item.rank = ready.rank
        GROUP BY named.number
        HAVING count(item.number) <> 1
      ) OR EXISTS (
        SELECT 1 FROM work_ready AS other
        WHERE other.tenant_id = ready.tenant_id AND other.ctid <> ready.ctid AND other.numbers && ready.numbers
      )`,
  });
  return [...items, ...blocks, ...ready];
}

// Last, over everything that the cases above did to their tenants.
test("every item stands in the queues that its state says, and in no other", async () => {
  const [[items] = []] = await postgres.rows({ name: "", text: "SELECT count(*) FROM work_item" });
  expect(items).toBeGreaterThan(500);
  expect(await disagreements(postgres)).toEqual([]);
});
