// The guide's modules, run as the guide says.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createIds, systemClock, systemRandom } from "#base";
import {
  type App,
  createKernel,
  fileDocuments,
  openSqliteKernel,
  runConductor,
  runWorker,
  type WorkHandler,
} from "#kernel";
import { shippedRegistry } from "#schemas";
import { must } from "../support/kernel-harness.ts";
import { snippetsOf } from "../support/snippets.ts";

test("the worker and the app of the guide bring a run to its end", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-guide-"));
  for (const [file, code] of Object.entries(snippetsOf("write-a-worker.md"))) writeFileSync(join(folder, file), code);
  const { handlers } = (await import(pathToFileURL(join(folder, "worker.mjs")).href)) as {
    handlers: Record<string, WorkHandler>;
  };
  const { app } = (await import(pathToFileURL(join(folder, "app.mjs")).href)) as { app: App };
  const store = must(openSqliteKernel(join(folder, "kernel.db"), { clock: systemClock }));
  const ids = createIds(systemClock, systemRandom);
  const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
  const end = new AbortController();
  const common = { kernel, clock: systemClock, signal: end.signal };
  const loops = [
    runConductor({
      ...common,
      conductor_id: "c",
      apps: [app],
      documents: fileDocuments(join(folder, "documents"), ids),
    }),
    runWorker({ ...common, worker_id: "w", handlers }),
  ];
  const { run_id } = must(await kernel.startRun({ app_id: "shouter", objective: "hello", actor_id: "ada" }));
  const listener = kernel.wakeUp.listen([`run:${run_id}`]);
  while (must(await kernel.read.run(run_id)).status === "active") await listener.wait(100);
  listener.close();
  end.abort();
  await Promise.all(loops);
  expect(must(await kernel.read.run(run_id)).close_reason).toBe("completed");
  const completed = must(await kernel.read.events(run_id, { after: 0, limit: 100 })).find(
    (event) => event.event_type === "work.completed",
  );
  expect(completed?.payload["result"]).toEqual({ text: "HELLO" });
  expect(must(await kernel.read.revisions(run_id)).length).toBeGreaterThan(0);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
