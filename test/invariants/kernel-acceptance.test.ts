import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { createIds, type RunId, systemClock, systemRandom } from "#core/values";
import { createKernel, type Kernel, runConductor } from "#runs";
import { type App } from "../../src/runs/kernel/app.ts";
import { kernelEventTypes } from "../../src/runs/kernel/records.ts";
import { runWorker } from "../../src/runs/kernel/run-worker.ts";
import { fileDocuments } from "../../src/runs/kernel/store/files/documents.ts";
import { openSqliteKernel } from "../../src/runs/kernel/store/sqlite/open.ts";
import { verifyRun } from "../../src/runs/kernel/verify-run.ts";
import { must } from "../support/kernel-harness.ts";

/**
 * A small app with two kinds of work: facts are gathered, then a text is drafted from them. It plans the second step
 * only when it has seen the first one end, and folds what workers and people submit into revisions.
 */
const twoStep: App = {
  app_id: "two-step",
  async turn(input, context) {
    const history = must(await context.read.events(input.run_id as RunId, { after: 0, limit: 10_000 }));
    const ended = (capability: string): boolean =>
      history.some(
        (event) =>
          event.event_type === "work.completed" &&
          event.payload["result"] !== undefined &&
          (event.payload["result"] as { of: string }).of === capability,
      );
    const want = (capability: string): object => ({
      type: "request_work",
      capability,
      objective: `${capability} for ${input.objective}`,
      depends_on: [],
      idempotency_key: capability,
    });
    const actions: object[] = [];
    if (input.new_events_since_seq === 0) actions.push(want("gather"));
    if (ended("gather") && !ended("draft")) actions.push(want("draft"));
    if (input.unapplied_patch_ids.length > 0) {
      const document_ref = must(
        await context.documents.put(`${input.objective}: ${input.unapplied_patch_ids.join(", ")}`),
      );
      actions.push({
        type: "create_revision",
        parent_revision_id: input.head_revision_id,
        applied_patch_ids: input.unapplied_patch_ids,
        rejected_patch_ids: [],
        document_ref,
      });
    }
    if (ended("draft") && input.open_work_summary.length === 0)
      actions.push({ type: "close_run", reason: "completed" });
    return { actions: actions.length > 0 ? actions : [{ type: "noop" }] } as Awaited<ReturnType<App["turn"]>>;
  },
};

describe("seed 003 is accepted when", () => {
  let folder: string;
  let kernel: Kernel;
  let finish: () => Promise<void>;
  let turns = new Map<string, number>();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "writ-accept-"));
    const store = must(openSqliteKernel(join(folder, "kernel.db"), { clock: systemClock }));
    const ids = createIds(systemClock, systemRandom);
    kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
    turns = new Map();
    const counted: App = {
      ...twoStep,
      turn: (input, context) => {
        turns.set(input.run_id, (turns.get(input.run_id) ?? 0) + 1);
        return twoStep.turn(input, context);
      },
    };
    const end = new AbortController();
    const common = { kernel, signal: end.signal, clock: systemClock, pollMs: 20 };
    const worker = (capability: string) =>
      runWorker({
        ...common,
        worker_id: `${capability}-1`,
        handlers: {
          [capability]: async () => ({
            status: "completed",
            result: { of: capability },
            patches: [{ base_revision_id: null, ops: [{ op: "text.edit", find: "a", replace: capability }] }],
          }),
        },
      });
    const loops = [
      runConductor({
        ...common,
        conductor_id: "c-1",
        apps: [counted],
        documents: fileDocuments(join(folder, "docs"), ids),
      }),
      worker("gather"),
      worker("draft"),
    ];
    finish = async () => {
      end.abort();
      await Promise.all(loops);
      await store.close();
    };
  });
  afterEach(async () => {
    await finish();
    rmSync(folder, { recursive: true, force: true });
  });

  const runToEnd = async (objective: string): Promise<RunId> => {
    const { run_id } = must(await kernel.startRun({ app_id: "two-step", objective, actor_id: "ada" }));
    await closed(run_id);
    return run_id;
  };
  const closed = async (run_id: RunId): Promise<void> => {
    const listener = kernel.wakeUp.listen([`run:${run_id}`]);
    while (must(await kernel.read.run(run_id)).status === "active") await listener.wait(50);
    listener.close();
  };
  const types = async (run: RunId): Promise<string[]> =>
    must(await kernel.read.events(run, { after: 0, limit: 1_000 })).map((event) => event.event_type);

  test("1. the kernel runs and closes runs with the five tables and deterministic scheduling alone", async () => {
    const run = await runToEnd("leases");
    expect(must(await kernel.read.run(run))).toMatchObject({ status: "closed", close_reason: "completed" });
    expect(must(await verifyRun(kernel.read, run)).violations).toEqual([]);
    const migration = readFileSync(
      new URL("../../src/runs/kernel/store/sqlite/migrations/001_five-records.sql", import.meta.url),
      "utf8",
    );
    const tables = [...migration.matchAll(/CREATE TABLE (\w+)/g)].map((match) => match[1]);
    expect(tables).toEqual(["run", "work_item", "work_dependency", "patch", "revision", "event_log"]); // one of them only lists an item's depends_on
    for (const [, table] of migration.matchAll(/CREATE TABLE \w+ \(([\s\S]*?)\n\)/g))
      expect(table).toContain("tenant_id TEXT NOT NULL");
  });

  test("2. the app plans across capabilities by typed request_work alone", async () => {
    const run = await runToEnd("planning");
    const items = must(await kernel.read.workItems(run));
    expect(items.map((item) => [item.capability, item.status])).toEqual([
      ["gather", "completed"],
      ["draft", "completed"],
    ]);
    const requested = must(await kernel.read.events(run, { after: 0, limit: 1_000 })).filter(
      (event) => event.event_type === "work.requested",
    );
    expect(requested.map((event) => event.actor_id)).toEqual(["two-step", "two-step"]);
  });

  test("3. canon changes only through revisions", async () => {
    const run = await runToEnd("canon");
    const revisions = must(await kernel.read.revisions(run));
    expect(revisions.length).toBeGreaterThan(0);
    expect(must(await kernel.read.run(run)).head_revision_id).toBe(revisions.at(-1)?.revision_id);
    expect((await types(run)).filter((type) => type === "revision.head_changed")).toHaveLength(revisions.length);
  });

  test("4. what workers and people submit goes one way: as patches into revisions", async () => {
    const { run_id } = must(await kernel.startRun({ app_id: "two-step", objective: "both", actor_id: "ada" }));
    must(
      await kernel.submitPatch({
        run_id,
        author_kind: "user",
        author_id: "ada",
        base_revision_id: null,
        ops: [{ op: "text.edit", find: "a", replace: "b" }],
      }),
    );
    await closed(run_id);
    const patches = must(await kernel.read.patches(run_id));
    expect(new Set(patches.map((patch) => patch.author_kind))).toEqual(new Set(["user", "worker"]));
    expect(patches.filter((patch) => patch.applied_in_revision_id === null)).toEqual([]);
  });

  test("5. no other layer decides: every event is of the seed's families, and a patch that breaks its contract is refused", async () => {
    const run = await runToEnd("layers");
    for (const type of await types(run)) expect(kernelEventTypes).toContain(type);
    const refused = await kernel.submitPatch({
      run_id: run,
      author_kind: "user",
      author_id: "ada",
      base_revision_id: null,
      ops: [{ op: "wave a wand" }],
    });
    expect(refused.ok ? "ok" : refused.error.code).toBe("SCHEMA_VIOLATION");
  });

  test("6. behaviour can be explained without prompts: no rule of the kernel reads prose, the clock or chance", () => {
    const rules = new URL("../../src/runs/kernel/rules/", import.meta.url);
    for (const file of readdirSync(rules)) {
      const text = readFileSync(new URL(file, rules), "utf8");
      expect(text).not.toMatch(
        /Date\.now|new Date|Math\.random|systemClock|systemRandom|objective\.(match|includes|startsWith)/,
      );
    }
  });

  test("the loop-regression of slice 6: nothing asks the app again while nothing is new", async () => {
    const run = await runToEnd("quiet");
    const before = turns.get(run) ?? 0;
    const started = (await types(run)).filter((type) => type === "app.turn.started").length;
    expect(before).toBe(started);
    const facts = (await types(run)).filter((type) =>
      ["run.started", "work.completed", "patch.submitted"].includes(type),
    ).length;
    expect(before).toBeLessThanOrEqual(facts); // never more turns than things that happened
  });

  test("several runs at once stay apart, in state and in events", async () => {
    const runs = await Promise.all(["one", "two", "three", "four"].map(runToEnd));
    const seen = new Set<string>();
    for (const run of runs) {
      const items = must(await kernel.read.workItems(run));
      const patches = must(await kernel.read.patches(run));
      for (const id of [...items.map((item) => item.work_id), ...patches.map((patch) => patch.patch_id)]) {
        expect(seen.has(id)).toBe(false);
        seen.add(id);
      }
      for (const patch of patches) expect(items.some((item) => item.work_id === patch.source_work_id)).toBe(true);
      const events = must(await kernel.read.events(run, { after: 0, limit: 1_000 }));
      expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
      expect(new Set(events.map((event) => event.run_id))).toEqual(new Set([run]));
      expect(must(await verifyRun(kernel.read, run)).violations).toEqual([]);
    }
  });
});
