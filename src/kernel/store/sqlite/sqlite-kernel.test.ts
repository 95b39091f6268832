import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { manualClock } from "#base";
import { openSqlite } from "#store";
import { kernelStoreCases } from "../kernel-store.case.ts";
import { openSqliteKernel } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-kernel-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

kernelStoreCases("SQLite", {
  open: async (name, clock, tenant) => {
    const store = openSqliteKernel(join(folder, `${name}.db`), tenant === undefined ? { clock } : { clock, tenant });
    if (!store.ok) throw new Error(store.error.message);
    return store.value;
  },
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
  const database = openSqlite(join(folder, "case-1.db"));
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
