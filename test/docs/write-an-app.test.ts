// The third app, as its guide prints it, on a real kernel.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { ThinkingApp } from "#apps";
import { blameRun } from "#apps";
import type { WorkHandler } from "#kernel";
import { AppBench } from "../support/app-bench.ts";
import { must } from "../support/kernel-harness.ts";
import { snippetsOf } from "../support/snippets.ts";

test("the app and the experts of the guide end in a page with both opinions and their comparison", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-guide-"));
  for (const [file, code] of Object.entries(snippetsOf("write-an-app.md"))) writeFileSync(join(folder, file), code);
  const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
  const { app } = (await load("second-opinion.mjs")) as { app: ThinkingApp };
  const { handlers } = (await load("experts.mjs")) as { handlers: Record<string, WorkHandler> };
  await using bench = new AppBench(app);
  bench.answers = () => ({ satisfied: true, reason: "They disagree.", summary: "", open_questions: [], requests: [] });
  await bench.start("Shall we deploy on Friday?");
  await bench.settle();
  for (const lease of await bench.lease("opinion")) {
    const done = await handlers["opinion"]?.(lease, {} as never);
    if (done?.status !== "completed") throw new Error("the expert has an opinion");
    must(await bench.kernel.completeWork(lease, done.patches ?? [], done.result));
    await bench.settle();
  }
  expect(must(await bench.kernel.read.run(bench.run_id))).toMatchObject({
    close_reason: "completed",
    close_message: "both were heard",
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
      .filter(({ text }) => text.startsWith("##"))
      .map(({ author_kind, work_order_id }) => [author_kind, work_order_id]),
  ).toEqual([
    ["worker", null],
    ["worker", null],
    ["app", "WO-20261115-001"],
  ]);
  rmSync(folder, { recursive: true, force: true });
});
