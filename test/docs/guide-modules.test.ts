// The modules that the guides print, on a real kernel: what the guides do not show, and what follows from them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { WorkHandler } from "#runs";
import { type ThinkingApp } from "#runs";
import { blameRun } from "../../src/runs/apps/blame/blame-run.ts";
import { AppBench } from "../support/app-bench.ts";
import { blocksOf } from "../support/guide/blocks.ts";
import { must } from "../support/kernel-harness.ts";
import { repository } from "../support/writ.ts";

interface GuideModules {
  readonly app: ThinkingApp;
  readonly handlers: Readonly<Record<string, WorkHandler>>;
}

/** The app and the workers that a guide prints. */
async function modulesOf(
  guide: string,
  files: { readonly app: string; readonly workers: string },
): Promise<GuideModules> {
  const folder = mkdtempSync(join(tmpdir(), "writ-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { attributes, text } of blocksOf(readFileSync(`${repository}docs/guides/${guide}`, "utf8")))
    if (attributes["file"] !== undefined) writeFileSync(join(folder, attributes["file"]), text);
  const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
  const { app } = (await load(files.app)) as Pick<GuideModules, "app">;
  const { handlers } = (await load(files.workers)) as Pick<GuideModules, "handlers">;
  return { app, handlers };
}

/** Lets the workers do what the app asks for until nothing is asked any more. */
async function workThrough(bench: AppBench, handlers: GuideModules["handlers"]): Promise<void> {
  await bench.settle();
  for (const [capability, handle] of Object.entries(handlers))
    for (const lease of await bench.lease(capability)) {
      const done = await handle(lease, { signal: new AbortController().signal } as never);
      if (done.status !== "completed") throw new Error(`${capability} ended as ${done.status}`);
      must(await bench.kernel.completeWork(lease, done.patches ?? [], done.result));
      await bench.settle();
    }
}

test("what the guide's worker made is in `work.completed`, and in the document", async () => {
  const { app, handlers } = await modulesOf("write-a-worker.md", { app: "shouter.mjs", workers: "worker.mjs" });
  await using bench = new AppBench(app);
  await bench.start("hello");
  await workThrough(bench, handlers);
  expect(must(await bench.kernel.read.run(bench.run_id))).toMatchObject({ close_reason: "completed" });
  const events = must(await bench.kernel.read.events(bench.run_id, { after: 0, limit: 100 }));
  const completed = events.find((event) => event.event_type === "work.completed");
  expect(completed?.payload["result"]).toEqual({ text: "HELLO" });
  expect(await bench.text()).toBe("## Shouted\n\nHELLO\n");
});

test("blame ties the words of the guide's app to the work order of its thought, and the experts' words to their items", async () => {
  const { app, handlers } = await modulesOf("write-an-app.md", { app: "second-opinion.mjs", workers: "experts.mjs" });
  await using bench = new AppBench(app);
  bench.answers = () => ({ satisfied: true, reason: "They disagree.", summary: "", open_questions: [], requests: [] });
  await bench.start("Shall we deploy on Friday?");
  await workThrough(bench, handlers);
  expect(must(await bench.kernel.read.run(bench.run_id))).toMatchObject({
    close_reason: "completed",
    close_message: "both are in",
  });
  expect(await bench.text()).toBe(
    "## The optimist\n\nIt will work.\n\n## The sceptic\n\nIt will break.\n\n## Both together\n\nThey disagree.\n",
  );
  expect(bench.asked).toHaveLength(1);
  const sources = {
    read: bench.kernel.read,
    documents: bench.documents,
    sessionFacts: () => Promise.resolve({ ok: true as const, value: null }),
  };
  const { lines } = must(await blameRun(sources, bench.run_id));
  expect(
    lines
      .filter(({ text }) => text !== "")
      .map(({ text, author_kind, work_id, work_order_id }) => [text, author_kind, work_id !== null, work_order_id]),
  ).toEqual([
    ["## The optimist", "worker", true, null],
    ["It will work.", "worker", true, null],
    ["## The sceptic", "worker", true, null],
    ["It will break.", "worker", true, null],
    ["## Both together", "app", false, "WO-20261115-001"],
    ["They disagree.", "app", false, "WO-20261115-001"],
  ]);
});
