// A workspace that has outgrown one machine moves into PostgreSQL.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { createIds, type RunId, systemClock, systemRandom } from "#base";
import { migrateWorkspace, openKernel } from "#compose";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

const surroundings = { clock: systemClock, random: systemRandom, env: {} };

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
  const wishes = { root, from: "sqlite:planes/hot/store.db", to, ...surroundings };
  const moved = await migrateWorkspace(wishes);
  if (!moved.ok) throw new Error(moved.error.message);
  expect(moved.value.sessions).toMatchObject({ there: 0 });
  expect(moved.value.sessions.moved).toBeGreaterThanOrEqual(2);
  expect(moved.value.documents).toBe(1);
  expect(moved.value.tables.find(({ table }) => table === "work_item")?.rows).toBe(3);
  expect(moved.value.tables.find(({ table }) => table === "budget_shares")?.rows).toBeGreaterThan(1);
  const again = await migrateWorkspace(wishes);
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
  const changed = await migrateWorkspace(wishes);
  expect(changed.ok ? "ok" : changed.error.code).toBe("LEDGER_CORRUPT"); // the two no longer agree, and it says so
}, 180_000);

async function readRun(kernel: { readonly read: import("#kernel").KernelReader }, run_id: RunId) {
  const [run, work, events] = await Promise.all([
    kernel.read.run(run_id),
    kernel.read.workItems(run_id),
    kernel.read.events(run_id, { after: 0, limit: 100 }),
  ]);
  return { run, work, events };
}
