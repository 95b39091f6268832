import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createIds, ok, systemClock, systemRandom } from "#core/values";
import { recoverTurns } from "./recover-turns.ts";
import { openTurnStore, type TurnStore } from "./turn-store.ts";

const ids = createIds(systemClock, systemRandom);

function newStore(): { readonly root: string; readonly store: TurnStore } {
  const root = mkdtempSync(join(tmpdir(), "writ-turn-store-"));
  const store = openTurnStore({ root, clock: systemClock, ids });
  onTestFinished(() => {
    store.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { root, store };
}

/** Another process with a store in the same workspace; `body` is what it does there. */
function beside(root: string, body: string): ChildProcess {
  const program = `Promise.all([import("#core/values"), import(${JSON.stringify(join(import.meta.dirname, "turn-store.ts"))}), import("node:fs")]).then(([{ createIds, systemClock, systemRandom }, { openTurnStore }, fs]) => {
    const ids = createIds(systemClock, systemRandom);
    const store = openTurnStore({ root: ${JSON.stringify(root)}, clock: systemClock, ids });
    const begin = () => store.begin({ turn_id: ids.sortable("TRN"), turn_number: 1, session_id: "ses-1", slot: null });
    ${body}
  })`;
  return spawn(process.execPath, ["--import", "tsx", "--conditions", "writ-source", "-e", program], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const recover = (root: string, store: TurnStore) =>
  recoverTurns({ root, store, takeSession: () => Promise.resolve(ok(undefined)) });

test("turns that begin beside a recovery are left alone", async () => {
  const { root, store } = newStore();
  const child = beside(
    root,
    `for (let count = 0; count < 3_000; count++) {
      const folder = begin();
      if (!fs.existsSync(folder + "/turn.json")) throw new Error("the recovery of another process removed a turn that had just begun");
      store.end(folder);
    }
    store.close();`,
  );
  let isOver = false;
  const ended = once(child, "exit").then(([code]) => {
    isOver = true;
    return code as unknown;
  });
  while (!isOver) {
    expect(await recover(root, store)).toEqual(ok([]));
    await new Promise(setImmediate);
  }
  expect(await ended).toBe(0);
});

test("of a process that died nothing is left once its turns are recovered", async () => {
  const { root, store } = newStore();
  const child = beside(root, `begin(); process.stdout.write("begun"); setInterval(() => {}, 1_000);`);
  await once(child.stdout ?? child, "data");
  const lives = () => ["starting", "processes"].map((each) => readdirSync(join(store.folder, each)).length);
  await recover(root, store);
  expect(lives()).toEqual([2, 2]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await recover(root, store)).toMatchObject({ value: [{ outcome: "nothing" }] });
  expect(lives()).toEqual([1, 1]);
  expect(readdirSync(join(store.folder, "running"))).toEqual([]);
  expect(existsSync(store.quarantine)).toBe(true);
});
