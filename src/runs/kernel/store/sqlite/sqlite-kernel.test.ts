import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { openSqlite } from "#core/database";
import { createIds, type Result, type RunId, seededRandom } from "#core/values";
import { manualClock } from "../../../../core/values/manual-clock.ts";
import type { Command } from "../../commands.ts";
import type { Lease } from "../../records.ts";
import { kernelFenceCases } from "../kernel-fences.case.ts";
import { kernelStoreCases } from "../kernel-store.case.ts";
import { kernelTurnCases } from "../kernel-turns.case.ts";
import type { KernelStore } from "../port.ts";
import type { StoreCase } from "../store-bench.case.ts";
import { openSqliteKernel } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-kernel-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const driver: StoreCase = {
  open: async (name, clock, tenant) => {
    const store = openSqliteKernel(join(folder, `${name}.db`), tenant === undefined ? { clock } : { clock, tenant });
    if (!store.ok) throw new Error(store.error.message);
    return store.value;
  },
};
kernelStoreCases("SQLite", driver);
kernelTurnCases("SQLite", driver);
kernelFenceCases("SQLite", driver);

test("what one process remembers of its leases is forgotten as soon as another has written", async () => {
  const clock = manualClock();
  const [mine, other] = [await driver.open("shared", clock), await driver.open("shared", clock)];
  const ids = createIds(clock, seededRandom(1));
  const say = async (store: KernelStore, command: Command): Promise<Result<unknown>> => {
    const report = await store.commit([command]);
    if (!report.ok) throw new Error(report.error.message);
    const [result] = report.value.results;
    if (!result) throw new Error("no answer");
    return result;
  };
  const claim = { kind: "claim_work", capabilities: ["c"], limit: 1, lease_owner: "same", lease_ms: 1_000 } as const;
  const run_id = ids.runId();
  await say(mine, { kind: "start_run", run_id, app_id: "demo", objective: "o", actor_id: "ada" });
  const work = [{ work_id: ids.workId(), capability: "c", objective: "o", depends_on: [], idempotency_key: null }];
  await say(mine, { kind: "request_work", run_id, actor_id: "demo", work });
  const first = (await say(mine, claim)) as Result<readonly Lease[]>;
  clock.advance(1_000);
  await say(other, { kind: "sweep", limit: 9 });
  clock.advance(1_000);
  const second = (await say(other, claim)) as Result<readonly Lease[]>;
  const [stale, fresh] = [first.ok && first.value[0], second.ok && second.value[0]];
  if (!stale || !fresh) throw new Error("no lease");
  clock.jump(clock.now() - 1_500); // even a clock that went back does not bring the old lease to life
  const late = await say(mine, { kind: "complete_work", lease: stale, patches: [] });
  expect(late.ok ? "ok" : late.error.code).toBe("LEASE_LOST");
  expect((await say(other, { kind: "complete_work", lease: fresh, patches: [] })).ok).toBe(true);
  await mine.close();
  await other.close();
});

test("a busy database is an answer, not a hang", async () => {
  const clock = manualClock();
  const file = join(folder, "busy.db");
  const opened = openSqliteKernel(file, { clock, busyTimeoutMs: 10 });
  const blocker = openSqlite(file);
  if (!opened.ok || !blocker.ok) throw new Error("cannot open");
  blocker.value.exec("BEGIN IMMEDIATE");
  const report = await opened.value.commit([{ kind: "sweep", limit: 1 }]);
  expect(report.ok ? "ok" : [report.error.code, report.error.retryable, report.error.details["busy"]]).toEqual([
    "STORE_UNAVAILABLE",
    true,
    true,
  ]);
  blocker.value.exec("ROLLBACK");
  expect((await opened.value.commit([{ kind: "sweep", limit: 1 }])).ok).toBe(true);
  blocker.value.close();
  await opened.value.close();
});

test("a full disk refuses the whole batch, and work goes on when there is room again", async () => {
  const clock = manualClock();
  const file = join(folder, "full.db");
  let full = true;
  const failpoint = (name: string): void => {
    if (full && name === "kernel.written")
      throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  };
  const opened = openSqliteKernel(file, { clock, failpoint });
  if (!opened.ok) throw new Error("cannot open");
  const run_id = createIds(clock, seededRandom(1)).runId();
  const start = { kind: "start_run", run_id, app_id: "demo", objective: "o", actor_id: "ada" } as const;
  const refused = await opened.value.commit([start]);
  expect(refused.ok ? "ok" : refused.error.code).toBe("STORE_UNAVAILABLE");
  expect((await opened.value.read.run(run_id)).ok).toBe(false);
  full = false;
  expect((await opened.value.commit([start])).ok).toBe(true);
  await opened.value.close();
});

test("several processes may open an empty database at once", async () => {
  const file = join(folder, "at-once.db");
  const script = `import("./src/runs/kernel/store/sqlite/open.ts").then(async ({ openSqliteKernel }) => { const { systemClock } = await import("#core/values"); const store = openSqliteKernel(${JSON.stringify(file)}, { clock: systemClock }); if (!store.ok) { console.error(store.error.message); process.exit(1); } await store.value.close(); });`;
  const cwd = fileURLToPath(new URL("../../../../..", import.meta.url));
  const open = () =>
    new Promise<number | null>((resolve) => {
      spawn(process.execPath, ["--import", "tsx", "--conditions", "writ-source", "-e", script], {
        cwd,
        stdio: "inherit",
      }).on("close", resolve);
    });
  expect(await Promise.all([open(), open(), open()])).toEqual([0, 0, 0]);
});

test("a run with 100,000 ready items does not starve another, and a claim beside them costs no more", async () => {
  const clock = manualClock();
  const ids = createIds(clock, seededRandom(2));
  const opened = openSqliteKernel(":memory:", { clock });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = opened.value;
  const say = async (command: Command): Promise<unknown> => {
    const report = await store.commit([command]);
    const result = report.ok ? report.value.results[0] : report;
    if (!result?.ok) throw new Error(result?.error.message ?? "no answer");
    return result.value;
  };
  const runOf = async (count: number): Promise<RunId> => {
    const run_id = ids.runId();
    await say({ kind: "start_run", run_id, app_id: "demo", objective: "o", actor_id: "ada" });
    for (let made = 0; made < count; made += 10_000) {
      const work = Array.from({ length: Math.min(10_000, count - made) }, () => ({
        work_id: ids.workId(),
        capability: "c",
        objective: "o",
        depends_on: [],
        idempotency_key: null,
      }));
      await say({ kind: "request_work", run_id, actor_id: "demo", work });
    }
    return run_id;
  };
  const claim = async (limit: number): Promise<readonly Lease[]> =>
    (await say({
      kind: "claim_work",
      capabilities: ["c"],
      limit,
      lease_owner: "w",
      lease_ms: 1e6,
    })) as readonly Lease[];
  const cheapest = async (): Promise<number> => {
    const taken: number[] = [];
    for (let index = 0; index < 40; index++) {
      const before = process.cpuUsage();
      await claim(2);
      const { user, system } = process.cpuUsage(before);
      taken.push(user + system);
    }
    return taken.sort((one, other) => one - other)[10] ?? 0;
  };
  await runOf(200);
  await cheapest();
  const alone = await cheapest();
  await runOf(100_000);
  const small = await runOf(50);
  expect((await claim(60)).filter((lease) => lease.run_id === small).length).toBeGreaterThanOrEqual(20);
  for (let claims = 0; claims < 2; claims++) await claim(60);
  const left = await store.read.workItems(small);
  expect(left.ok && left.value.every((item) => item.status === "leased")).toBe(true);
  expect((await cheapest()) / alone).toBeLessThan(3);
  await store.close();
});

test("an older program refuses the tables of a newer one", () => {
  const file = join(folder, "newer.db");
  const clock = manualClock();
  const first = openSqliteKernel(file, { clock });
  expect(first.ok).toBe(true);
  const database = openSqlite(file);
  if (!database.ok) throw new Error("cannot open");
  database.value.exec(
    "INSERT INTO migrations (component, number, name, applied_at) VALUES ('kernel', 99, 'later', '2027')",
  );
  database.value.close();
  const second = openSqliteKernel(file, { clock });
  expect(second.ok ? "ok" : second.error.code).toBe("STORE_TOO_NEW");
});

test("a claim reads the partial indexes, whatever lies finished beside them", () => {
  const file = join(folder, "plans.db");
  expect(openSqliteKernel(file, { clock: manualClock() }).ok).toBe(true);
  const database = openSqlite(file);
  if (!database.ok) throw new Error("cannot open");
  const plan = (sql: string, ...values: unknown[]): string =>
    (database.value.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[])
      .map((row) => row.detail)
      .join("; ");
  expect(
    plan(
      "SELECT run_id FROM work_item WHERE tenant_id = ? AND capability = ? AND rank = ? AND run_id > ? AND ready = 1 ORDER BY run_id LIMIT 1",
      "t",
      "c",
      0,
      "",
    ),
  ).toContain("work_ready (tenant_id=? AND capability=? AND rank=? AND run_id>?)");
  expect(
    plan(
      "SELECT work_id FROM work_item WHERE tenant_id = ? AND lease_expires_at <= ? AND status = 'leased' ORDER BY lease_expires_at LIMIT 9",
      "t",
      0,
    ),
  ).toContain("work_leased");
  expect(
    plan(
      "SELECT run_id FROM run WHERE tenant_id = ? AND app_id = ? AND turn_due_at <= ? AND turn_due_at IS NOT NULL AND paused = 0 ORDER BY turn_due_at LIMIT 9",
      "t",
      "a",
      0,
    ),
  ).toContain("run_due");
  database.value.close();
});
