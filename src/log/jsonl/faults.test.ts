import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { faultyDisk } from "../../../test/support/disk.ts";
import {
  halted,
  ledgerTexts,
  output,
  readAll,
  start,
  temporaryFolder,
  testLog,
  value,
} from "../../../test/support/log.ts";
import { journalFolder, livenessName } from "./paths.ts";

test("a start that failed on another journal is tried again by the next caller", async () => {
  const root = temporaryFolder();
  const inTheWay = join(journalFolder(root), "journal-x", livenessName);
  mkdirSync(inTheWay, { recursive: true }); // where a lock should be
  const log = testLog(root);
  expect(await log.create({ tier: "ho1" })).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE" } });
  rmSync(inTheWay, { recursive: true });
  const session = value(await log.create({ tier: "ho1" }));
  value(await session.append(start));
  value(await log.shutdown());
});

describe("a full disk", () => {
  test("acknowledges nothing, damages nothing, and continues when there is room", async () => {
    const root = temporaryFolder();
    const disk = faultyDisk();
    const log = testLog(root, { disk });
    const [one, other] = [value(await log.create({ tier: "ho1" })), value(await log.create({ tier: "ho1" }))];
    value(await one.append(start));
    for (const room of [0, 1, 47, 48, 49, 300, 5_000]) {
      const before = one.head;
      disk.room = room;
      const text = "x".repeat(6_000);
      const refused = await Promise.all([
        one.append(output(text)),
        one.append(output(text)),
        other.append(output(text)),
      ]);
      for (const outcome of refused)
        expect(outcome).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE", retryable: true } });
      expect(one.head).toEqual(before);
      disk.room = undefined;
      value(await one.append(output(room)));
      value(await other.append(halted(`${room}`)));
    }
    expect((await readAll(log, one.session_id)).length).toBe(8);
    expect((await readAll(testLog(root), other.session_id)).length).toBe(7);
    value(await log.shutdown());
    expect((await readAll(testLog(root), one.session_id)).length).toBe(8);
  });

  test("makes the append after a lost staged event fail, once", async () => {
    const disk = faultyDisk();
    const log = testLog(temporaryFolder(), { disk });
    const [one, other] = [value(await log.create({ tier: "ho1" })), value(await log.create({ tier: "ho1" }))];
    value(await one.append(start));
    disk.room = 0;
    value(one.stage(halted("lost")));
    expect((await other.append(start)).ok).toBe(false);
    disk.room = undefined;
    expect(await one.append(halted("told"))).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE" } });
    expect(value(await one.append(halted("next"))).seq).toBe(2);
    expect((await readAll(log, one.session_id)).length).toBe(2);
  });

  test("under the session files loses nothing: the journal has the events until the files can be written", async () => {
    const root = temporaryFolder();
    const disk = faultyDisk();
    const log = testLog(root, { disk, limits: { journalBytes: 4_000, idleMs: 1 } });
    const session = value(await log.create({ tier: "ho1" }));
    disk.fullFile = "exec.jsonl";
    for (let seq = 1; seq <= 50; seq++) value(await session.append(halted(`${seq}`)));
    expect(await log.flush()).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE", retryable: true } });
    expect((await readAll(testLog(root), session.session_id)).length).toBe(50);
    disk.fullFile = undefined;
    value(await log.flush());
    expect((await ledgerTexts(testLog(root), session.session_id, "exec")).length).toBe(50);
    value(await log.shutdown());
    expect(readdirSync(join(root, "planes/hot/journal"))).toEqual(["workspace.lock"]);
  });

  test("at shutdown leaves the journal to the next process", async () => {
    const root = temporaryFolder();
    const disk = faultyDisk();
    const log = testLog(root, { disk });
    const session = value(await log.create({ tier: "ho1" }));
    for (let seq = 1; seq <= 5; seq++) value(await session.append(halted(`${seq}`)));
    disk.fullFile = ".events.jsonl";
    expect((await log.shutdown()).ok).toBe(false);
    const again = value(await testLog(root).open(session.session_id));
    expect(again.head.seq).toBe(6); // and log.recovered
  });

  test("of a small tmpfs is survived", async (context) => {
    const root = temporaryFolder();
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", root], { stdio: "ignore" });
    } catch {
      return context.skip("mounting a tmpfs needs rights that this process does not have");
    }
    onTestFinished(() => void execFileSync("umount", ["-l", root]));
    const log = testLog(root);
    const session = value(await log.create({ tier: "ho1" }));
    value(await session.append(start));
    value(await log.flush());
    writeFileSync(join(root, "ballast"), Buffer.alloc(900_000));
    let acknowledged = 1;
    let refused: unknown;
    while (refused === undefined && acknowledged < 1_000) {
      const outcome = await session.append(output("y".repeat(20_000)));
      if (outcome.ok) acknowledged += 1;
      else refused = outcome.error;
    }
    expect(refused).toMatchObject({ code: "LEDGER_UNAVAILABLE", retryable: true });
    expect((await readAll(log, session.session_id)).length).toBe(acknowledged);
    execFileSync("mount", ["-o", "remount,size=8m", root]);
    expect(value(await session.append(halted("room again"))).seq).toBe(acknowledged + 1);
    value(await log.shutdown());
    expect((await readAll(testLog(root), session.session_id)).length).toBe(acknowledged + 1);
    return undefined;
  });
});

describe("a sync that fails", () => {
  test("ends the writing: nothing is acknowledged and the sync is never tried again", async () => {
    const root = temporaryFolder();
    const disk = faultyDisk();
    const log = testLog(root, { disk });
    const session = value(await log.create({ tier: "ho1" }));
    value(await session.append(start));
    disk.syncError = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
    expect(await session.append(halted("a"))).toMatchObject({
      ok: false,
      error: { code: "LEDGER_UNAVAILABLE", retryable: false },
    });
    disk.syncError = undefined;
    const { syncs } = disk;
    const later = [
      await session.append(halted("b")),
      session.stage(halted("c")),
      await session.close({ ok: true, status: "success" }),
    ];
    for (const outcome of later)
      expect(outcome).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE", retryable: false } });
    expect(disk.syncs).toBe(syncs);
    expect((await readAll(log, session.session_id)).length).toBe(1);
    expect((await log.shutdown()).ok).toBe(false);
    const again = value(await testLog(root).open(session.session_id));
    value(await again.append(halted("on")));
  });

  test("of a session file keeps the journal and ends the writing", async () => {
    const root = temporaryFolder();
    const disk = faultyDisk();
    const log = testLog(root, { disk, limits: { journalBytes: 4_000 } });
    const session = value(await log.create({ tier: "ho1" }));
    let acknowledged = 0;
    const { sync } = disk;
    disk.sync = (fd) =>
      acknowledged > 5 && new Error().stack?.includes("syncSessionFiles") ? Promise.reject(new Error("EIO")) : sync(fd);
    for (let seq = 1; seq <= 40; seq++) if ((await session.append(halted("x".repeat(400)))).ok) acknowledged += 1;
    expect(acknowledged).toBeLessThan(40);
    expect((await log.shutdown()).ok).toBe(false);
    const again = testLog(root);
    value(await again.open(session.session_id));
    expect(
      (await readAll(again, session.session_id)).filter(({ type }) => type === "session.halted").length,
    ).toBeGreaterThanOrEqual(acknowledged);
  });
});

describe("group commit", () => {
  test("three thousand sessions at once share a sync, and few files are open", async () => {
    const root = temporaryFolder();
    const disk = faultyDisk();
    const openFiles = () => readdirSync("/proc/self/fd").length;
    const openBefore = openFiles(); // of the tests that share this process
    const log = testLog(root, { disk, limits: { idleMs: 5_000 } });
    const sessions = await Promise.all(
      Array.from({ length: 3_000 }, async () => value(await log.create({ tier: "ho1" }))),
    );
    const before = disk.syncs;
    for (let round = 0; round < 3; round++)
      for (const outcome of await Promise.all(sessions.map((session) => session.append(output(round))))) value(outcome);
    expect(disk.syncs - before).toBe(3);
    value(await log.flush());
    expect(openFiles() - openBefore).toBeLessThan(50);
    expect(disk.syncs - before).toBe(3);
    const counts = await Promise.all(
      sessions.slice(0, 20).map(async ({ session_id }) => (await readAll(log, session_id)).length),
    );
    expect(new Set(counts)).toEqual(new Set([3]));
  });

  test("recycles the journal: the disk holds events once, not twice", async () => {
    const root = temporaryFolder();
    const log = testLog(root, { limits: { journalBytes: 100_000, idleMs: 1 } });
    const session = value(await log.create({ tier: "ho1" }));
    const folder = join(root, "planes/hot/journal");
    let most = 0;
    for (let seq = 0; seq < 400; seq++) {
      value(await session.append(output("z".repeat(5_000))));
      const [instance = ""] = readdirSync(folder).filter((name) => name.startsWith("journal-"));
      const sizes = readdirSync(join(folder, instance)).map(
        (name) => statSync(join(folder, instance, name), { throwIfNoEntry: false })?.size ?? 0,
      );
      most = Math.max(
        most,
        sizes.reduce((sum, size) => sum + size, 0),
      );
    }
    // Of 2 MB: a generation that waits for its files, one that may grow to twice the limit meanwhile, and the reserve
    // of both.
    expect(most).toBeLessThan(850_000);
    value(await log.shutdown());
    const file = join(root, "planes/ho1/sessions", session.session_id, ".events.jsonl");
    expect(readFileSync(file, "utf8").split("\n").length).toBe(401);
  });
});

describe("a session file that was changed", () => {
  test("is refused for writing, wherever the change is; a torn last line is cut and recorded", async () => {
    const root = temporaryFolder();
    const log = testLog(root);
    const session = value(await log.create({ tier: "ho1" }));
    for (const event of [start, halted("a"), output("b")]) value(await session.append(event));
    value(await log.shutdown());
    const file = join(root, "planes/ho1/sessions", session.session_id, ".events.jsonl");
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += 37) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(file, changed);
      expect(await testLog(root).open(session.session_id), `byte ${at}`).toMatchObject({
        ok: false,
        error: { code: "LEDGER_CORRUPT" },
      });
    }
    writeFileSync(file, whole.subarray(0, whole.length - 40));
    const again = testLog(root);
    const taken = value(await again.open(session.session_id));
    expect((await readAll(again, session.session_id)).map(({ type }) => type)).toEqual([
      "session.start",
      "session.halted",
      "log.recovered",
    ]);
    value(await taken.append(halted("on")));
    value(await again.shutdown());
    expect((await readAll(testLog(root), session.session_id)).length).toBe(4);
  });

  test("has a ledger that was changed: refused too", async () => {
    const root = temporaryFolder();
    const log = testLog(root);
    const session = value(await log.create({ tier: "ho1" }));
    for (const event of [start, halted("a")]) value(await session.append(event));
    value(await log.shutdown());
    const ledger = join(root, "planes/ho1/sessions", session.session_id, "ledger/exec.jsonl");
    writeFileSync(ledger, readFileSync(ledger, "utf8").split("\n")[0] ?? "");
    expect(await testLog(root).open(session.session_id)).toMatchObject({
      ok: false,
      error: { code: "LEDGER_CORRUPT" },
    });
  });
});

test("a workspace that can only be read is read, and refuses to be written", async (context) => {
  const root = temporaryFolder();
  const log = testLog(root);
  const session = value(await log.create({ tier: "ho1" }));
  for (const event of [start, halted("a"), output("b")]) value(await session.append(event));
  const mounted = temporaryFolder();
  mkdirSync(mounted, { recursive: true });
  try {
    execFileSync("mount", ["--bind", root, mounted], { stdio: "ignore" });
    execFileSync("mount", ["-o", "remount,ro,bind", mounted], { stdio: "ignore" });
  } catch {
    return context.skip("mounting needs rights that this process does not have");
  }
  onTestFinished(() => void execFileSync("umount", ["-l", mounted]));
  const reader = testLog(mounted);
  expect((await readAll(reader, session.session_id)).length).toBe(3); // from the journal alone
  value(await log.flush());
  expect((await readAll(reader, session.session_id)).length).toBe(3);
  expect((await ledgerTexts(reader, session.session_id, "exec")).length).toBe(2);
  for await (const info of reader.list()) expect(value(info).events).toBe(3);
  expect(await reader.create({ tier: "ho1" })).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE" } });
  return undefined;
});
