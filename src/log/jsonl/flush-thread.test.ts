import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { noFailpoints, type SessionId, sha256 } from "#core/values";
import { verifySession } from "#proof";
import { halted, output, readAll, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import { Arena } from "./arena.ts";
import { realDisk } from "./disk.ts";
import { FlushThread } from "./flush-thread.ts";
import { sessionPaths } from "./paths.ts";
import { fileNumber, PendingWrites, sessionFiles } from "./pending-writes.ts";
import { type FlushRound, flushHere } from "./session-files.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A round with lines of every size for three files of each session. */
function roundOf(root: string, sessions: number): FlushRound {
  const pending = new PendingWrites(0);
  const arena = new Arena(pending);
  const numbers = Array.from({ length: sessions }, () => pending.number());
  for (let line = 0; line < 600; line++) {
    const start = arena.position - arena.batchStart;
    arena.add(`${line} ${"€".repeat(line % 97 === 0 ? 150_000 : (line * 31) % 700)}`);
    const end = arena.position - arena.batchStart;
    pending.add(arena.take(), fileNumber(numbers[line % sessions] ?? 0, line % 3), start, end);
    arena.release();
  }
  const targets = numbers.map((number) => {
    const { ledgerFolder, ...paths } = sessionPaths(root, "ho1", `SES-${number}`);
    const snapshot = { folder: dirname(paths.events), text: number % 2 === 0 ? "" : `${"€".repeat(3_000)}\n` };
    return { folder: ledgerFolder, paths: sessionFiles.map((file) => paths[file]), lengths: [0, 5, 0], snapshot };
  });
  return { sessions: [], marks: [], targets, plan: pending.plan(numbers) };
}

async function startedThread(): Promise<FlushThread> {
  const thread = new FlushThread();
  onTestFinished(() => thread.close());
  thread.start();
  await expect.poll(() => thread.isReady).toBe(true);
  return thread;
}

test("the thread writes, byte for byte, what is written without it, and reports which folders it created", async () => {
  const [here, aside] = [temporaryFolder(), temporaryFolder()];
  const thread = await startedThread();
  const filedHere = await flushHere(roundOf(here, 5), realDisk, noFailpoints);
  const round = roundOf(aside, 5);
  const flushed = await thread.flush(round);
  expect([flushed.done, flushed.failure]).toEqual([5, undefined]);
  expect(flushed.made.map(([session, topmost]) => [session, topmost?.slice(aside.length)])).toEqual(
    filedHere.made.map(([session, topmost]) => [session, topmost?.slice(here.length)]),
  );
  const contents = (root: string) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted()
      .map((path) => [path.slice(root.length), sha256(readFileSync(path))]);
  expect(contents(aside).length).toBe(18); // of sessions with an odd number the snapshot too
  expect(contents(aside)).toEqual(contents(here));
});

test("a file that cannot be written is reported with its reason, after those that were", async () => {
  const root = temporaryFolder();
  const thread = await startedThread();
  const round = roundOf(root, 5);
  mkdirSync(round.targets[2]?.paths[1] ?? "", { recursive: true });
  const flushed = await thread.flush(round);
  expect(flushed.done).toBe(2);
  expect(flushed.made.length).toBe(3);
  expect(flushed.failure).toMatchObject({ code: "EISDIR" });
});

test("a thread that dies fails its round and gets no other", async () => {
  const thread = await startedThread();
  vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker) {
    void this.terminate();
  });
  expect(await thread.flush(roundOf(temporaryFolder(), 5))).toMatchObject({
    done: 0,
    failure: new Error("the filing thread died"),
  });
  expect(thread.isReady).toBe(false);
  thread.start();
  expect(thread.isReady).toBe(false);
});

test("under load a log flushes with the thread: nothing is lost, duplicated or mixed up, and reading never waits for it", async () => {
  const rounds = vi.spyOn(FlushThread.prototype, "flush");
  const root = temporaryFolder();
  const log = testLog(root, { limits: { journalBytes: 300_000, maxBehindBytes: 40_000, idleMs: 5 } });
  const sessions = await Promise.all(Array.from({ length: 40 }, async () => value(await log.create({ tier: "ho1" }))));
  const said = new Map<SessionId, string[]>();
  await Promise.all(
    sessions.map(async (session, lane) => {
      const hashes: string[] = [];
      said.set(session.session_id, hashes);
      for (let line = 0; rounds.mock.calls.length < 12 || line < 20; line++) {
        const event =
          line === 0 ? start : line % 4 === lane % 4 ? halted(`${line}`) : output("é".repeat((line * 53) % 400));
        hashes.push(value(await session.append(event)).hash);
        if (line % 16 === lane % 16)
          expect((await readAll(log, session.session_id)).map(({ hash }) => hash)).toEqual(hashes);
      }
      if (lane % 2 === 0) hashes.push(value(await session.close({ ok: true, status: "success" })).hash);
      else if (lane % 3 === 0) value(await session.release());
    }),
  );
  const listed: SessionId[] = [];
  for await (const info of log.list()) listed.push(value(info).session_id);
  expect(listed.toSorted()).toEqual([...said.keys()].toSorted());
  value(await log.shutdown());
  const reader = testLog(root);
  for (const [session_id, hashes] of said) {
    expect((await readAll(reader, session_id)).map(({ hash }) => hash)).toEqual(hashes);
    const { violations } = await verifySession(session_id, { reader, schemas: shippedRegistry(), rules: ledgerRules });
    expect(violations.filter(({ kind }) => !kind.startsWith("audit_"))).toEqual([]);
  }
});
