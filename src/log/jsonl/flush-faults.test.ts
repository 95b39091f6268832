import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createIds, type Result, systemRandom } from "#core/values";
import { type FaultyDisk, faultyDisk } from "../../../test/support/disk.ts";
import { halted, output, readAll, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { SessionLog } from "../event-log.ts";
import { sessionPaths } from "./paths.ts";

const generations = (root: string): string[] =>
  readdirSync(join(root, "planes/hot/journal"), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".journal"));

/** A disk whose first sync of a session file waits for the test. */
function slowlySyncing(): { disk: FaultyDisk; sync: Promise<void>; answer: (error?: Error) => void } {
  const disk = faultyDisk();
  const { sync } = disk;
  let begun = () => {};
  let answer: (error?: Error) => void = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const answered = new Promise<void>((resolve, reject) => {
    answer = (error) => (error ? reject(error) : resolve());
  });
  answered.catch(() => {});
  let isFirst = true;
  disk.sync = async (fd) => {
    if (!isFirst || !new Error().stack?.includes("syncSessionFiles")) return sync(fd);
    isFirst = false;
    begun();
    await answered;
    return sync(fd);
  };
  onTestFinished(() => answer());
  return { disk, sync: hasBegun, answer: (error) => answer(error) };
}

const broken = () => Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });

describe("a session file that could not be synced", () => {
  test("keeps the generation that holds its lines, however long this process is idle", async () => {
    const root = temporaryFolder();
    const clock = manualClock(1_763_200_000_000);
    const { disk, sync, answer } = slowlySyncing();
    const ids = createIds(clock, systemRandom);
    const log = testLog(root, { disk, clock, ids, limits: { journalBytes: 4_000 } });
    const session = value(await log.create({ tier: "ho1" }));
    answer(broken());
    let outcome: Result<unknown> = await session.append(start);
    while (outcome.ok) outcome = await session.append(halted("x".repeat(400)));
    await sync;
    expect(outcome).toMatchObject({ error: { code: "LEDGER_UNAVAILABLE", retryable: false } });
    const before = generations(root);
    expect(before.length).toBe(2);
    clock.advance(10_000);
    expect((await log.shutdown()).ok).toBe(false);
    expect(generations(root)).toEqual(before);
  });

  test("at release ends the writing, as everywhere: a second sync would falsely succeed", async () => {
    const root = temporaryFolder();
    const { disk, answer } = slowlySyncing();
    const log = testLog(root, { disk });
    const [one, other] = [value(await log.create({ tier: "ho1" })), value(await log.create({ tier: "ho1" }))];
    for (const session of [one, other]) value(await session.append(start));
    answer(broken());
    expect(await one.release()).toMatchObject({ ok: false, error: { retryable: false } });
    expect(await other.append(halted("after"))).toMatchObject({ ok: false, error: { retryable: false } });
    expect((await log.shutdown()).ok).toBe(false);
    expect(generations(root).length).toBe(1);
  });
});

/** A disk on which nothing can be opened for a sync while `isFull`: the process has reached its limit of open files. */
function crowdedDisk(what: "files" | "folders"): FaultyDisk & { isFull: boolean } {
  const disk = Object.assign(faultyDisk(), { isFull: false });
  const { open, syncFolder } = disk;
  const tooMany = () =>
    Object.assign(new Error("EMFILE: too many open files, open"), { code: "EMFILE", syscall: "open" });
  if (what === "files")
    disk.open = (path, how) => {
      if (disk.isFull && how === "write") throw tooMany();
      return open(path, how);
    };
  else
    disk.syncFolder = (path) =>
      disk.isFull && !path.includes("journal") ? Promise.reject(tooMany()) : syncFolder(path);
  return disk;
}

describe.each(["files", "folders"] as const)("session %s that cannot be opened to be synced", (what) => {
  test("keep the old generation until they can: nothing is refused, and nothing was tried", async () => {
    const root = temporaryFolder();
    const clock = manualClock(1_763_200_000_000);
    const disk = crowdedDisk(what);
    const synced = syncsOf(disk);
    const ids = createIds(clock, systemRandom);
    const log = testLog(root, { disk, clock, ids, limits: { journalBytes: 4_000 } });
    const sessions = await Promise.all(Array.from({ length: 6 }, async () => value(await log.create({ tier: "ho1" }))));
    disk.isFull = true;
    for (let line = 0; line < 5; line++)
      for (const session of sessions) value(await session.append(line === 0 ? start : halted("x".repeat(400))));
    expect(await log.flush()).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE", retryable: true } });
    for (const session of sessions) value(await session.append(halted("still")));
    const [first] = generations(root);
    expect(first).toContain("000001.journal");
    disk.isFull = false;
    await expect.poll(() => (clock.advance(1_000), generations(root).includes(first ?? ""))).toBe(false);
    for (const { session_id } of sessions) {
      const { events, exec, folder, ledgerFolder } = sessionPaths(root, "ho1", session_id);
      for (const path of [events, exec, folder, ledgerFolder]) expect(synced).toContain(path);
    }
    value(await log.shutdown());
    expect(generations(root)).toEqual([]);
  });

  test("at release leave the session with its writer, which continues and releases later", async () => {
    const disk = crowdedDisk(what);
    const log = testLog(temporaryFolder(), { disk });
    const session = value(await log.create({ tier: "ho1" }));
    value(await session.append(start));
    disk.isFull = true;
    expect(await session.release()).toMatchObject({ ok: false, error: { retryable: true } });
    value(await session.append(halted("on")));
    disk.isFull = false;
    value(await session.release());
    value(await log.shutdown());
  });

  test("at shutdown leave the journal to the next process", async () => {
    const root = temporaryFolder();
    const disk = crowdedDisk(what);
    const log = testLog(root, { disk });
    const session = value(await log.create({ tier: "ho1" }));
    for (const event of [start, halted("a")]) value(await session.append(event));
    disk.isFull = true;
    expect(await log.shutdown()).toMatchObject({ ok: false, error: { retryable: true } });
    expect(generations(root).length).toBe(1);
    expect((await readAll(testLog(root), session.session_id)).length).toBe(2);
  });
});

test("a sync that fails while other files cannot be opened ends the writing all the same", async () => {
  const root = temporaryFolder();
  const { disk, sync, answer } = slowlySyncing();
  const { open } = disk;
  const log = testLog(root, { disk, limits: { journalBytes: 4_000 } });
  const sessions = await Promise.all(Array.from({ length: 3 }, async () => value(await log.create({ tier: "ho1" }))));
  for (const session of sessions) value(await session.append(start));
  let opened = 0;
  disk.open = (path, how) => {
    if (how === "write" && ++opened > 1)
      throw Object.assign(new Error("EMFILE: too many open files, open"), { code: "EMFILE", syscall: "open" });
    return open(path, how);
  };
  for (let line = 0; line < 12; line++) await sessions[0]?.append(halted("x".repeat(400)));
  const ended = log.flush();
  await sync;
  answer(broken());
  expect(await ended).toMatchObject({ ok: false, error: { retryable: false } });
  expect(await sessions[1]?.append(halted("after"))).toMatchObject({ ok: false, error: { retryable: false } });
  expect((await log.shutdown()).ok).toBe(false);
  expect(generations(root).filter((name) => name.endsWith("000001.journal")).length).toBe(1);
});

/** Which files and folders were synced. */
function syncsOf(disk: FaultyDisk): ReadonlySet<string> {
  const synced = new Set<string>();
  const { open, sync, syncFolder } = disk;
  const paths = new Map<number, string>();
  disk.open = (path, how) => {
    const fd = open(path, how);
    paths.set(fd, path);
    return fd;
  };
  disk.sync = (fd, here) => sync(fd, here).then(() => void synced.add(paths.get(fd) ?? ""));
  disk.syncFolder = (path) => syncFolder(path).then(() => void synced.add(path));
  return synced;
}

describe("while a session that is released is synced", () => {
  test("no generation is removed that holds its lines", async () => {
    const root = temporaryFolder();
    const { disk, sync, answer } = slowlySyncing();
    const log = testLog(root, { disk, limits: { journalBytes: 4_000 } });
    const [one, other] = [value(await log.create({ tier: "ho1" })), value(await log.create({ tier: "ho1" }))];
    value(await one.append(start));
    const released = one.release();
    await sync;
    const [first] = generations(root);
    for (let line = 0; line < 6; line++) value(await other.append(output("y".repeat(700))));
    const [kept, made] = [generations(root).includes(first ?? ""), generations(root).length - 1];
    answer(); // before anything can fail: the shutdown waits for it
    expect([kept, made > 0]).toEqual([true, true]);
    value(await released);
    value(await log.flush());
    expect(generations(root)).not.toContain(first);
  });

  test("a shutdown waits for it, and keeps the journal when it fails", async () => {
    const root = temporaryFolder();
    const { disk, sync, answer } = slowlySyncing();
    const log = testLog(root, { disk });
    const session = value(await log.create({ tier: "ho1" }));
    for (const event of [start, halted("a")]) value(await session.append(event));
    const released = session.release();
    await sync;
    const ended = log.shutdown();
    setImmediate(() => setImmediate(() => answer(broken())));
    expect([(await released).ok, (await ended).ok]).toEqual([false, false]);
    expect(generations(root).length).toBe(1);
    expect((await readAll(testLog(root), session.session_id)).length).toBe(2);
  });
});

describe("a flush round that fails", () => {
  test("is tried again, even if no further event is recorded", async () => {
    const root = temporaryFolder();
    const clock = manualClock(1_763_200_000_000);
    const disk = faultyDisk();
    const ids = createIds(clock, systemRandom);
    const log = testLog(root, { disk, clock, ids, limits: { maxBehindBytes: 1 } });
    const session = value(await log.create({ tier: "ho1" }));
    const { events } = sessionPaths(root, "ho1", session.session_id);
    disk.fullFile = "exec.jsonl";
    value(await session.append(start));
    expect((await log.flush()).ok).toBe(false);
    disk.fullFile = undefined;
    const exec = sessionPaths(root, "ho1", session.session_id).exec;
    await expect.poll(() => (clock.advance(1_000), existsSync(exec) && readFileSync(exec).length > 0)).toBe(true);
    expect(readFileSync(events, "utf8").split("\n").length).toBe(2);
  });

  test("on the files of one session does not hold up the others", async () => {
    const root = temporaryFolder();
    const log = testLog(root);
    const sessions = await Promise.all(Array.from({ length: 5 }, async () => value(await log.create({ tier: "ho1" }))));
    const paths = sessions.map(({ session_id }) => sessionPaths(root, "ho1", session_id));
    mkdirSync(paths[1]?.exec ?? "", { recursive: true });
    for (const session of sessions) value(await session.append(start));
    expect((await log.flush()).ok).toBe(false);
    expect((await log.flush()).ok).toBe(false);
    expect(paths.map(({ exec }) => existsSync(exec) && linesIn(exec))).toEqual([1, 0, 1, 1, 1]);
    rmSync(paths[1]?.exec ?? "", { recursive: true });
    value(await log.flush());
    expect(paths.map(({ exec }) => linesIn(exec))).toEqual([1, 1, 1, 1, 1]);
  });
});

function linesIn(path: string): number {
  try {
    return readFileSync(path, "utf8").split("\n").length - 1;
  } catch {
    return readdirSync(path).length;
  }
}

test("a flush, a release and a shutdown end while other sessions keep appending", async () => {
  const root = temporaryFolder();
  const log = testLog(root);
  const [quiet, ...busy] = await Promise.all(
    Array.from({ length: 40 }, async () => value(await log.create({ tier: "ho1" }))),
  );
  if (!quiet) throw new Error("no session");
  value(await quiet.append(start));
  let said = 0;
  const acknowledged = new Map<SessionLog, number>();
  const speaking = Promise.all(
    busy.map(async (session) => {
      let outcome: Result<unknown> = await session.append(start);
      for (let seq = 1; outcome.ok && said < 40_000; said++, seq++) {
        acknowledged.set(session, seq);
        outcome = await session.append(output("on and on"));
      }
      return outcome;
    }),
  );
  value(await log.flush());
  value(await quiet.release());
  expect(said).toBeLessThan(40_000);
  value(await log.shutdown());
  expect(said).toBeLessThan(40_000);
  expect((await speaking).every(({ ok }) => !ok)).toBe(true);
  const reader = testLog(root);
  for (const session of busy)
    expect((await readAll(reader, session.session_id)).length).toBe(acknowledged.get(session));
});
