import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createIds, systemClock, systemRandom } from "#core/values";
import { archiveRun } from "../../src/runs/kernel/archive-run.ts";
import { fileDocuments } from "../../src/runs/kernel/store/files/documents.ts";
import { verifyRun } from "../../src/runs/kernel/verify-run.ts";
import { must, openKernel, startKernelProcess, workplace } from "../support/kernel-harness.ts";

/** Every named place of the kernel between two effects, and how often it is passed before the process dies there. */
const points = [
  ["kernel.begin", 6],
  ["kernel.loaded", 9],
  ["kernel.decided", 12],
  ["kernel.said", 5],
  ["kernel.written", 7],
  ["kernel.commit", 8],
  ["kernel.committed", 6],
  ["archive.kept", 1],
  ["archive.marked", 1],
  ["archive.dropped", 1],
] as const;
const again = process.env["WRIT_CAMPAIGN"] === "1" ? 10 : 1;

// Several at a time: most of each passes while the leases of the dead run out. Each clears up by its own context: Vitest's imported
// `onTestFinished` would tie it to whichever of them began last, and one test would clear away the database of another.
describe.concurrent("a process that is killed loses nothing that it was told is done", () => {
  for (const [point, first] of points)
    for (let more = 0; more < again; more++)
      test(`killed at ${point}, the ${first + more}. time`, async ({ onTestFinished }) => {
        const place = workplace();
        onTestFinished(() => place.clear());
        const run_id = createIds(systemClock, systemRandom).runId();
        const common = { roles: ["conductor", "worker"], start: { run_id, objective: "count 12" }, archive: run_id };
        const killed = startKernelProcess(place.file, {
          ...common,
          id: "first",
          die: { at: point, nth: first + more },
        });
        expect(await killed.exited).toBe("SIGKILL");

        const { kernel, close } = openKernel(place.file);
        const archived = point.startsWith("archive.");
        if (!archived) {
          const items = await kernel.read.workItems(run_id);
          for (const line of killed.said.filter((each) => "completed" in each))
            expect(must(items).find((item) => item.work_id === line["completed"])).toMatchObject({
              status: "completed",
              lease_epoch: line["epoch"],
            });
          const run = await kernel.read.run(run_id);
          if (killed.said.some((line) => "started" in line)) expect(run.ok).toBe(true);
          if (run.ok) expect(must(await verifyRun(kernel.read, run_id)).violations).toEqual([]);
          const second = startKernelProcess(place.file, { ...common, archive: undefined, id: "second" });
          expect(await second.exited).toBe("exited");
          expect(must(await kernel.read.run(run_id))).toMatchObject({ status: "closed", close_reason: "completed" });
          const verdict = must(await verifyRun(kernel.read, run_id));
          expect(verdict.violations).toEqual([]);
          const done = must(await kernel.read.workItems(run_id));
          expect(done.map((item) => item.status)).toEqual(done.map(() => "completed"));
        } else {
          const documents = fileDocuments(join(place.folder, "documents"), kernel.ids);
          const { archive_ref } = must(await archiveRun(kernel, documents, run_id));
          const kept = must(await documents.get(archive_ref.slice("sha256:".length)));
          const lines = new TextDecoder()
            .decode(kept)
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as { kind: string });
          expect(lines.filter((line) => line.kind === "work_item")).toHaveLength(12);
          expect(lines.at(-1)?.kind).toBe("seal");
          expect(must(await kernel.read.workItems(run_id))).toEqual([]);
        }
        await close();
      });
});
