// Apps and workers that are functions of the program: a run from its objective to its document, in one process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  type AppTurnActionsV1,
  defineApp,
  defineWorker,
  type OpenWorkspace,
  openWorkspace,
  unwrap,
} from "../../src/embed/index.ts";

type Action = AppTurnActionsV1["actions"][number];

/** Has each word of its objective counted, and writes down what came back. */
const counter = defineApp({
  app_id: "counter",
  async turn({ new_events_since_seq, objective, unapplied_patch_ids, head_revision_id, open_work_summary }, context) {
    if (new_events_since_seq === 0) {
      const asked = objective.split(" ").map((word): Action => {
        const input = word === "?" ? {} : { word };
        return {
          type: "request_work",
          capability: "count",
          objective: word,
          depends_on: [],
          idempotency_key: word,
          input,
        };
      });
      return { actions: asked };
    }
    const actions: Action[] = [];
    if (unapplied_patch_ids.length > 0) {
      const document_ref = unwrap(await context.documents.put(`${unapplied_patch_ids.length} counted\n`));
      const none = { rejected_patch_ids: [], document_ref };
      actions.push({
        type: "create_revision",
        parent_revision_id: head_revision_id,
        applied_patch_ids: unapplied_patch_ids,
        ...none,
      });
    }
    if (open_work_summary.length === 0) actions.push({ type: "close_run", reason: "completed" });
    return { actions: actions.length > 0 ? actions : [{ type: "noop" }] };
  },
});

async function open(more: Partial<OpenWorkspace>) {
  const root = mkdtempSync(join(tmpdir(), "writ-runs-"));
  const writ = unwrap(await openWorkspace({ root, apps: [counter], ...more }));
  onTestFinished(async () => {
    await writ.close();
    rmSync(root, { recursive: true, force: true });
  });
  return writ;
}

const lengths = z.object({ length: z.number() });

test("a run of the program's app is done by the program's worker, with what fits its schemas", async () => {
  const seen: string[] = [];
  const count = defineWorker({
    capability: "count",
    input: z.object({ word: z.string().transform((word) => word.trim()) }),
    output: lengths,
    run({ word }, { objective }) {
      seen.push(objective);
      const patches = [{ base_revision_id: null, ops: [{ op: "section.insert", heading: word, body: word }] }];
      return { status: "completed", result: { length: word.length }, patches: word === "one" ? patches : [] };
    },
  });
  const writ = await open({ workers: [count] });
  const { run_id } = unwrap(await writ.runs.start({ app: "counter", objective: "one three ?" }));
  const types: string[] = [];
  const run = unwrap(await writ.runs.work(run_id, { onEvent: ({ event_type }) => types.push(event_type) }));
  expect(run).toMatchObject({ status: "closed", close_reason: "completed" });
  expect(seen.toSorted()).toEqual(["one", "three"]);
  const { work_items } = unwrap(await writ.runs.show(run_id));
  expect(work_items.map(({ objective, status }) => `${objective} ${status}`).toSorted()).toEqual([
    "? failed",
    "one completed",
    "three completed",
  ]);
  expect(types).toContain("work.completed");
  const events = unwrap(await writ.runs.events(run_id));
  const completed = events.filter(({ event_type }) => event_type === "work.completed");
  const failed = events.find(({ event_type }) => event_type === "work.failed");
  expect(JSON.stringify(failed?.payload)).toContain("the input of");
  expect(unwrap(await writ.runs.document(run_id))).toBe("1 counted\n");
  expect(completed.map(({ payload }) => payload["result"])).toEqual(
    expect.arrayContaining([{ length: 3 }, { length: 5 }]),
  );
  expect(unwrap(await writ.runs.list({ status: "closed" })).map((each) => each.run_id)).toEqual([run_id]);
});

test("a result that does not fit its schema fails the item, and what a function throws is tried again", async () => {
  let tries = 0;
  const count = defineWorker({
    capability: "count",
    output: lengths,
    run(_, { objective }) {
      if (objective === "wrong") return { status: "completed", result: { length: "five" } as never };
      tries += 1;
      if (tries === 1) throw new Error("not now");
      return { status: "completed", result: { length: 1 } };
    },
  });
  const writ = await open({ workers: [count] });
  const { run_id } = unwrap(await writ.runs.start({ app: "counter", objective: "wrong again" }));
  unwrap(await writ.runs.work(run_id));
  const { work_items } = unwrap(await writ.runs.show(run_id));
  const ended = Object.fromEntries(work_items.map(({ objective, status }) => [objective, status]));
  expect(ended["wrong"]).toBe("failed");
});

test("a run is canceled, an unknown app is refused, and an aborted run goes on with the next call", async () => {
  const writ = await open({ workers: [defineWorker({ capability: "count", run: () => ({ status: "completed" }) })] });
  expect(await writ.runs.start({ app: "none", objective: "x" })).toMatchObject({ error: { code: "NOT_FOUND" } });
  expect(await writ.runs.start({ app: "counter", objective: " " })).toMatchObject({
    error: { code: "MALFORMED_INPUT" },
  });
  const { run_id } = unwrap(await writ.runs.start({ app: "counter", objective: "one" }));
  expect(unwrap(await writ.runs.work(run_id, { signal: AbortSignal.abort() }))).toMatchObject({ status: "active" });
  expect(unwrap(await writ.runs.work(run_id))).toMatchObject({ close_reason: "completed" });
  const other = unwrap(await writ.runs.start({ app: "counter", objective: "one" }));
  expect(unwrap(await writ.runs.cancel(other.run_id, { message: "not needed" }))).toMatchObject({
    close_reason: "canceled",
  });
});
