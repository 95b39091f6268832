import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ledgerRules } from "#core/contracts";
import { openSqlite } from "#core/database";
import { type RunId, systemClock, systemRandom } from "#core/values";
import { verifyAll } from "#proof";
import { archiveRun } from "../../src/runs/kernel/archive-run.ts";
import { openKernel } from "../../src/runs/open-kernel.ts";
import { verifyRuns } from "../../src/runs/runs-anchored.ts";
import { must } from "../support/kernel-harness.ts";
import { runOfApp } from "../support/run-of-app.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";
import { smallApp, want } from "../support/small-app.ts";

let workspace: TestWorkspace;
let run: RunId;
let other: RunId;
beforeAll(async () => {
  workspace = await testWorkspace();
  const target = { op: "section.insert", heading: "H" };
  const objective = JSON.stringify([want("agent", "Say something", { target })]);
  run = (await runOfApp(workspace.runtime, smallApp, objective)).run.run_id as RunId;
  other = (await runOfApp(workspace.runtime, smallApp, objective)).run.run_id as RunId;
});
afterAll(() => workspace[Symbol.asyncDispose]());

const database = () => must(openSqlite(join(workspace.root, "planes/hot/kernel.db")));
const change = (sql: string): void => {
  const opened = database();
  expect(opened.prepare(sql).run().changes).toBeGreaterThan(0);
  opened.close();
};
const violationsOf = async (id?: RunId) => {
  const opened = must(await openKernel({ root: workspace.root, clock: systemClock, random: systemRandom }));
  const verified = must(await verifyRuns({ root: workspace.root, ...opened }, id));
  await opened.close();
  return verified.flatMap(({ violations }) => violations);
};
/** Changes a row, asks what verify says, and puts the row back. */
const saidAfter = async (sql: string, back: string): Promise<readonly string[]> => {
  change(sql);
  const violations = await violationsOf(run);
  change(back);
  return violations;
};

test("a closed run is anchored with all its events, and sessions are verified beside it", async () => {
  const opened = must(await openKernel({ root: workspace.root, clock: systemClock, random: systemRandom }));
  const [verified] = must(await verifyRuns({ root: workspace.root, ...opened }, run));
  await opened.close();
  expect(verified).toMatchObject({ ok: true, violations: [] });
  expect(verified?.anchored_seq).toBe(verified?.events);
  const { runtime, root } = workspace;
  const sessions = await verifyAll({
    root,
    reader: runtime.log,
    schemas: runtime.schemas,
    rules: ledgerRules,
    key: undefined,
  });
  expect(sessions).toMatchObject({ ok: true, violations: [] });
});

test("a changed event, a changed patch, a changed order for work and a changed document each show", async () => {
  const where = `run_id = '${run}'`;
  expect(
    await saidAfter(
      `UPDATE event_log SET actor_id = 'eve' || actor_id WHERE ${where} AND seq = 2`,
      `UPDATE event_log SET actor_id = substr(actor_id, 4) WHERE ${where} AND seq = 2`,
    ),
  ).toEqual([expect.stringMatching(/^the history up to event \d+ is not the one that was anchored$/)]);
  expect(
    await saidAfter(
      `UPDATE patch SET ops = replace(ops, '"H"', '"X"') WHERE ${where}`,
      `UPDATE patch SET ops = replace(ops, '"X"', '"H"') WHERE ${where}`,
    ),
  ).toEqual([expect.stringContaining("ops is not what the history says")]);
  expect(
    await saidAfter(
      `UPDATE work_item SET objective = 'X' || objective WHERE ${where}`,
      `UPDATE work_item SET objective = substr(objective, 2) WHERE ${where}`,
    ),
  ).toEqual([expect.stringContaining("objective is not what the history says")]);
  expect(
    await saidAfter(
      `UPDATE revision SET document_ref = replace(document_ref, '"sha256":"', '"sha256":"00') WHERE ${where}`,
      `UPDATE revision SET document_ref = replace(document_ref, '"sha256":"00', '"sha256":"') WHERE ${where}`,
    ),
  ).toEqual([expect.stringContaining("document is not what the history says")]);
  expect(await violationsOf()).toEqual([]);
});

test("an archived run is proven from its document; a run that is gone shows", async () => {
  const opened = must(await openKernel({ root: workspace.root, clock: systemClock, random: systemRandom }));
  must(await archiveRun(opened.kernel, opened.documents, run));
  await opened.close();
  expect(await violationsOf()).toEqual([]);
  for (const table of ["event_log", "patch", "revision", "work_dependency", "work_item", "run"]) {
    const connection = database();
    connection.prepare(`DELETE FROM ${table} WHERE run_id = ?`).run(other);
    connection.close();
  }
  expect(await violationsOf()).toEqual([
    expect.stringMatching(/^the run was anchored with \d+ events and is not here any more$/),
  ]);
});
