import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "#core/database";
import { type RunId } from "#core/values";
import { type Kernel } from "#runs";
import { sealRun } from "../../src/runs/kernel/seal.ts";
import { verifyRun } from "../../src/runs/kernel/verify-run.ts";
import { must, openKernel, type Workplace, workplace } from "../support/kernel-harness.ts";

let place: Workplace;
let kernel: Kernel;
let close: () => Promise<void>;
let run: RunId;
beforeEach(async () => {
  place = workplace();
  ({ kernel, close } = openKernel(place.file));
  run = must(await kernel.startRun({ app_id: "any", objective: "o", actor_id: "ada" })).run_id;
  for (const replace of ["one", "two", "three"])
    must(
      await kernel.submitPatch({
        run_id: run,
        author_kind: "user",
        author_id: "ada",
        base_revision_id: null,
        ops: [{ op: "text.edit", find: "a", replace }],
      }),
    );
});
afterEach(async () => {
  await close();
  place.clear();
});

const tamper = (sql: string): void => {
  const database = must(openSqlite(place.file));
  expect(database.prepare(sql).run().changes).toBe(1);
  database.close();
};

test("a seal taken in two steps is the seal taken in one", async () => {
  const half = must(await sealRun(kernel.read, run, { upTo: 2 }));
  expect(half.seq).toBe(2);
  expect(must(await sealRun(kernel.read, run, { from: half }))).toEqual(must(await sealRun(kernel.read, run)));
});

test("a run whose history was rewritten no longer matches the head that was anchored", async () => {
  const anchor = must(await sealRun(kernel.read, run));
  expect(must(await verifyRun(kernel.read, run, anchor))).toMatchObject({ ok: true, events: 4 });
  tamper("UPDATE event_log SET actor_id = 'eve' WHERE seq = 3");
  expect(must(await verifyRun(kernel.read, run, anchor)).violations).toContain(
    "the history up to event 4 is not the one that was anchored",
  );
});

test("a history that was cut, and a record that was changed, show without any anchor", async () => {
  const anchor = must(await sealRun(kernel.read, run));
  tamper("DELETE FROM event_log WHERE seq = 4");
  const cut = must(await verifyRun(kernel.read, run, anchor));
  expect(cut.violations).toContain("number of patches: the history says 2, the record says 3");
  expect(cut.violations).toContain("the history up to event 4 is not the one that was anchored");
  tamper("UPDATE run SET paused = 1");
  expect(must(await verifyRun(kernel.read, run)).violations).toContain(
    "paused: the history says false, the record says true",
  );
});
