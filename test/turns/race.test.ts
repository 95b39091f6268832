import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { noFailpoints, sha256 } from "#core/values";
import { applyCommit } from "../../src/effects/turns/commit/apply.ts";
import type { RedoRecord } from "../../src/effects/turns/commit/redo-record.ts";
import { stageWrites } from "../../src/effects/turns/commit/stage.ts";

// In memory where it can be: who wins a race is asked here, not what is on disk.
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : "/var/tmp", "writ-race-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const loops = 10_000;

/** A thread that swaps `target` between what it was and a link to `bait`, as fast as it can. */
async function swapping(target: string, bait: string, work: () => Promise<void>): Promise<number> {
  const counter = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(
    `const { workerData: { target, bait, counter } } = require("node:worker_threads"); const fs = require("node:fs");
     try { fs.symlinkSync(bait, target + ".link"); } catch {}
     while (Atomics.load(counter, 1) === 0) {
       try { fs.renameSync(target, target + ".real"); fs.renameSync(target + ".link", target); fs.renameSync(target, target + ".link"); fs.renameSync(target + ".real", target); Atomics.add(counter, 0, 1); } catch {}
     }`,
    { eval: true, workerData: { target, bait, counter } },
  );
  while (Atomics.load(counter, 0) === 0) await new Promise((resolve) => setImmediate(resolve));
  await work();
  Atomics.store(counter, 1, 1);
  await new Promise((resolve) => worker.once("exit", resolve));
  return Atomics.load(counter, 0);
}

/** Makes the file again if the swapping lost it; exclusively, since by now the name may stand for the bait. */
function putBack(path: string): void {
  if (existsSync(path) || existsSync(`${path}.real`)) return;
  try {
    writeFileSync(path, "honest", { flag: "wx" });
  } catch (thrown) {
    expect((thrown as NodeJS.ErrnoException).code).toBe("EEXIST");
  }
}

test("a declared output swapped for a link between comparison and commit is never followed", async () => {
  const layer = join(folder, "layer");
  mkdirSync(layer);
  writeFileSync(join(layer, "out.txt"), "honest");
  writeFileSync(join(folder, "secret"), "the secret");
  let staged = 0;
  let refused = 0;
  const swaps = await swapping(join(layer, "out.txt"), join(folder, "secret"), async () => {
    for (let index = 0; index < loops; index++) {
      const into = join(folder, `turn-${index}`);
      mkdirSync(into);
      const writes = [
        {
          kind: "write" as const,
          path: "out.txt",
          hash: sha256("honest"),
          size: 6,
          mode: 0o644,
          existed: index % 2 === 0,
        },
      ];
      const outcome = await stageWrites({ from: (path) => join(layer, path), into, writes, owner: null }).catch(
        (thrown: NodeJS.ErrnoException) => {
          expect(["ELOOP", "ENOENT"]).toContain(thrown.code);
          return undefined;
        },
      );
      if (outcome?.ok) {
        staged += 1;
        expect(readFileSync(join(into, "0"), "utf8")).toBe("honest");
      } else refused += 1;
      rmSync(into, { recursive: true });
      putBack(join(layer, "out.txt"));
    }
  });
  expect(swaps).toBeGreaterThan(0);
  expect(staged + refused).toBe(loops);
  expect(readFileSync(join(folder, "secret"), "utf8")).toBe("the secret");
  expect(lstatSync(join(folder, "secret")).mode & 0o777).toBe(0o644);
});

test("a folder of the workspace swapped for a link during the commit leads nothing outside", async () => {
  const root = join(folder, "workspace");
  const outside = join(folder, "outside");
  mkdirSync(join(root, "deep"), { recursive: true });
  mkdirSync(outside);
  await swapping(join(root, "deep"), outside, async () => {
    for (let index = 0; index < loops; index++) {
      const turn = join(folder, "turn");
      mkdirSync(join(turn, "staged"), { recursive: true });
      writeFileSync(join(turn, "staged/0"), "x");
      const record: RedoRecord = {
        version: 1,
        turn_id: "TRN-1",
        session_id: "SES-1",
        owner: null,
        steps: [{ op: "write", path: "deep/out.txt", staged: "0", hash: sha256("x"), mode: 0o644 }],
        event: {
          type: "turn.committed",
          payload: { turn_id: "TRN-1", turn_number: 1, outputs: [], result_hash: sha256("x"), duration_ms: 1 },
        },
      };
      await applyCommit(root, turn, record, noFailpoints);
      expect(readdirSync(outside)).toEqual([]);
    }
  });
  expect(existsSync(join(outside, "out.txt"))).toBe(false);
});
