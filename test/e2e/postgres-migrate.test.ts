// A workspace that has outgrown one machine moves into PostgreSQL.

import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { createIds, type RunId, sleep, systemClock, systemRandom } from "#core/values";
import { migrateWorkspace } from "../../src/operate/migrate/migrate-workspace.ts";
import { openKernel } from "../../src/runs/open-kernel.ts";
import { bareEnvironment } from "../support/bare-environment.ts";
import { built } from "../support/built.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { repository, writJson } from "../support/writ.ts";

const surroundings = { clock: systemClock, random: systemRandom, env: { WRIT_TRUST: "own" } };

test("sessions, budgets, orders, runs and documents move, byte for byte; begun again, it finds them there", async () => {
  await using workspace = await testWorkspace({ config: { workspace_budget: { token_limit: 1_000_000 } } });
  const { root } = workspace;
  const sessions = [
    (await workspace.ask("greet Ada")).session_id ?? "",
    (await workspace.ask("greet Bob")).session_id ?? "",
  ];
  await workspace.runtime.close();
  const ids = createIds(systemClock, systemRandom);
  const run_id = ids.runId();
  const local = await openKernel({ root, ...surroundings });
  if (!local.ok) throw new Error(local.error.message);
  const { kernel, documents, close } = local.value;
  await kernel.startRun({ run_id, app_id: "demo", objective: "grow", actor_id: "ada" });
  const work = ["a", "b", "c"].map((key) => ({
    work_id: ids.workId(),
    capability: "c",
    objective: key,
    depends_on: key === "c" ? ["a"] : [],
    idempotency_key: key,
  }));
  await kernel.submit<"request_work">({ kind: "request_work", run_id, actor_id: "demo", work });
  const kept = await documents.put("canon");
  const before = await readRun(kernel, run_id);
  await close();

  const to = await freshDatabase();
  const wanted = { root, from: "sqlite:planes/hot/store.db", to, ...surroundings };
  const moved = await migrateWorkspace(wanted);
  if (!moved.ok) throw new Error(moved.error.message);
  expect(moved.value.sessions).toMatchObject({ there: 0 });
  expect(moved.value.sessions.moved).toBeGreaterThanOrEqual(2);
  expect(moved.value.documents).toBe(1);
  expect(moved.value.tables.find(({ table }) => table === "work_item")?.rows).toBe(3);
  expect(moved.value.tables.find(({ table }) => table === "budget_shares")?.rows).toBeGreaterThan(1);
  const again = await migrateWorkspace(wanted);
  expect(again).toMatchObject({ ok: true, value: { sessions: { moved: 0, there: moved.value.sessions.moved } } });

  await workspace.write("writ.yaml", stringify({ version: 1, store: to }));
  await workspace.reopen();
  for (const session of sessions) {
    expect(await workspace.runtime.verifySession(session as never)).toMatchObject({ ok: true });
    const lines: string[] = [];
    for await (const portion of workspace.runtime.log.readLines(session as never))
      if (portion.ok) lines.push(...portion.value.map(({ text }) => `${text}\n`));
    const file = join(root, "planes/ho1/sessions", session, ".events.jsonl");
    expect(lines.join("")).toBe(readFileSync(file, "utf8"));
  }
  const remote = await openKernel({ root, ...surroundings });
  if (!remote.ok) throw new Error(remote.error.message);
  expect(await readRun(remote.value.kernel, run_id)).toEqual(before);
  expect(await remote.value.documents.has(kept.ok ? kept.value.sha256 : "")).toEqual({ ok: true, value: true });
  const leases = await remote.value.kernel.claimWork({
    capabilities: ["c"],
    lease_owner: "w",
    lease_ms: 1_000,
    limit: 9,
  });
  expect(leases.ok && leases.value.map(({ objective }) => objective)).toEqual(["a", "b"]); // work goes on, in its order
  await remote.value.close();

  const client = new pg.Client({ connectionString: to });
  await client.connect();
  await client.query("UPDATE event_log SET payload = '{}' WHERE seq = 1");
  await client.end();
  const changed = await migrateWorkspace(wanted);
  expect(changed.ok ? "ok" : changed.error.code).toBe("LEDGER_CORRUPT"); // the two no longer agree, and it says so
}, 180_000);

test("killed with -9 wherever it is, `writ migrate` goes on when it is begun again, and everything is there once", async () => {
  built();
  await using workspace = await testWorkspace();
  const sessions: string[] = [];
  for (const name of ["Ada", "Bob", "Eve", "Joe", "Kim", "Lea"])
    sessions.push((await workspace.ask(`greet ${name}`)).session_id ?? "");
  await workspace.runtime.close();
  const to = await freshDatabase();
  const admin = new pg.Client({ connectionString: to });
  await admin.connect();
  const count = async (table: string): Promise<number> => {
    const { rows } = await admin.query(`SELECT to_regclass('${table}') IS NOT NULL AS there`);
    if (!rows[0].there) return 0;
    return Number((await admin.query(`SELECT count(*) AS rows FROM ${table}`)).rows[0].rows);
  };
  /** Begins it, and kills it as soon as this much can be seen of it. */
  const killAt = async (isReached: () => Promise<boolean>): Promise<void> => {
    const args = [`${repository}bin/writ.js`, "migrate", "--to", to, "--root", workspace.root];
    const child = spawn(process.execPath, args, { env: bareEnvironment(), stdio: "ignore" });
    const gone = new Promise((resolve) => child.once("close", resolve));
    while (child.exitCode === null && !(await isReached())) await sleep(systemClock, 2);
    child.kill("SIGKILL");
    await gone;
  };
  await killAt(async () => (await count("work_orders")) > 0 || (await count("log_session")) > 0);
  await killAt(async () => (await count("kept_texts")) > 0);
  await killAt(async () => (await count("log_session")) > 1);
  const moved = await migrateWorkspace({
    root: workspace.root,
    from: "sqlite:planes/hot/store.db",
    to,
    ...surroundings,
  });
  if (!moved.ok) throw new Error(moved.error.message);
  expect(moved.value.sessions.there).toBeGreaterThan(0); // what was done before counts
  expect(await count("log_session")).toBe(moved.value.sessions.there + moved.value.sessions.moved);
  await admin.end();

  await workspace.write("writ.yaml", stringify({ version: 1, store: to }));
  rmSync(join(workspace.root, "planes/hot/anchors"), { recursive: true }); // the database has them now
  await workspace.reopen();
  for (const session of sessions)
    expect(await workspace.runtime.verifySession(session as never)).toMatchObject({ ok: true, violations: [] });
  const verified = await writJson<{ ok: boolean; anchors: { heads: number } }>(["session", "verify", "--all"], {
    cwd: workspace.root,
  });
  expect(verified.json.ok).toBe(true);
  expect(JSON.stringify(verified.json)).not.toContain("not anchored");
});

async function readRun(
  kernel: { readonly read: import("../../src/runs/kernel/store/port.ts").KernelReader },
  run_id: RunId,
) {
  const [run, work, events] = await Promise.all([
    kernel.read.run(run_id),
    kernel.read.workItems(run_id),
    kernel.read.events(run_id, { after: 0, limit: 100 }),
  ]);
  return { run, work, events };
}
