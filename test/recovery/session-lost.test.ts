// A process that was silent past its time, and lives: another has its sessions now, and it says nothing more about them.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { type SessionId, systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";
import { countingModel } from "../support/counting-model.ts";
import { must } from "../support/kernel-harness.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

test("its order ends as the successor ends it, on another machine, and the budget counts it once", async () => {
  const store = await freshDatabase();
  // The first answer comes when the successor has ended, and not before.
  let answerLate = () => {};
  const late = new Promise<{ text: string }>((resolve) => {
    answerLate = () => resolve({ text: "too late" });
  });
  let calls = 0;
  await using model = await countingModel(() => (++calls === 1 ? late : { text: "Hello, Ada" }));
  await using home = await testWorkspace({
    config: {
      store,
      provider: "openai-compatible",
      model: "m",
      base_url: model.baseUrl,
      max_output_tokens: 100,
      workspace_budget: { token_limit: 100_000 },
      limits: { writer_lease_seconds: 3_600 }, // no sign of life comes after the one that is taken back below
    },
  });
  const elsewhere = mkdtempSync(join(tmpdir(), "writ-elsewhere-"));
  cpSync(home.root, elsewhere, { recursive: true });
  rmSync(join(elsewhere, "planes/hot/law"), { recursive: true, force: true });
  const database = new pg.Client({ connectionString: store });
  await database.connect();

  const order = workOrder();
  const work_order_id = String(order["work_order_id"]);
  const slept = home.runtime.runFlow({ work_order: order, caller_id: home.runtime.caller });
  const session_id = await vi.waitFor(
    async () => {
      const { rows } = await database.query(
        'SELECT session_id FROM log_event WHERE line LIKE \'%"type":"llm.request"%\' LIMIT 1',
      );
      expect(rows).toHaveLength(1);
      return rows[0].session_id as SessionId;
    },
    { timeout: 60_000, interval: 20 },
  );
  await database.query("UPDATE log_writer SET expires_at = 0");
  const successor = must(
    await openRuntime({ root: elsewhere, clock: systemClock, random: systemRandom, env: {}, version: "test" }),
  );
  const ended = must(await successor.resumeOrder({ session_id, work_order_id }));
  expect(ended, JSON.stringify(ended)).toMatchObject({ status: "success", session_id });

  answerLate();
  expect(await slept).toMatchObject({ status: "failure", error_code: "LEASE_LOST", session_id });
  expect(JSON.parse(must(await successor.store.findOrder(work_order_id))?.result ?? "{}")).toMatchObject({
    status: "success",
  });
  for (const runtime of [home.runtime, successor])
    expect(await runtime.verifySession(session_id)).toMatchObject({ ok: true, closed: true });
  const { rows } = await database.query(
    "SELECT (SELECT sum(tokens)::int FROM budget_pools) AS pool, (SELECT sum(tokens)::int FROM budget_shares) AS shares, (SELECT count(*)::int FROM budget_shares WHERE NOT settled) AS open",
  );
  expect(rows[0].pool).toBe(rows[0].shares);
  expect(rows[0].open).toBe(0);
  await database.end();
  await successor.close();
  rmSync(elsewhere, { recursive: true, force: true });
});
