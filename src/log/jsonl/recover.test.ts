import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ledgerRules } from "#core/contracts";
import { noFailpoints, type SessionId } from "#core/values";
import { halted, ledgerTexts, readAll, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import { type Disk, realDisk } from "./disk.ts";
import { sessionPaths } from "./paths.ts";
import { finishJournals } from "./recover.ts";
import { listWriterProcesses, type WriterProcess } from "./writer-processes.ts";

/** A workspace as a process leaves it that dies: one session closed and in its files, one open, whose lines only the journal has. */
async function deadWorkspace(): Promise<{
  readonly root: string;
  readonly closed: SessionId;
  readonly open: SessionId;
}> {
  const living = temporaryFolder();
  const log = testLog(living, { limits: { idleMs: 100_000, pauseMs: 100_000 } });
  const closed = value(await log.create({ tier: "ho1" }));
  value(await closed.append(start));
  value(await closed.append(halted("it was enough")));
  value(await closed.close({ ok: true, status: "success" }));
  value(await log.flush());
  const open = value(await log.create({ tier: "ho1" }));
  value(await open.append(start));
  value(await open.append(halted("not the end")));
  const root = temporaryFolder(); // no process holds the lock of a copy
  cpSync(living, root, { recursive: true });
  return { root, closed: closed.session_id, open: open.session_id };
}

async function finish(root: string, disk: Disk = realDisk) {
  const [instance] = listWriterProcesses(root) as readonly [WriterProcess];
  const stamp = () => ({ id: "EVT-recovered", ts: "2026-11-19T20:00:00.000Z" });
  return finishJournals(instance, { root, disk, failpoint: noFailpoints, rules: ledgerRules, stamp });
}

/** What the session's three files say. */
function filesOf(root: string, session_id: SessionId): readonly string[] {
  const { events, exec, evidence } = sessionPaths(root, "ho1", session_id);
  return [events, exec, evidence].map((file) =>
    statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, "utf8") : "",
  );
}

test("a dead process's sessions are complete in their files, and its journal is gone", async () => {
  const { root, closed, open } = await deadWorkspace();
  const before = filesOf(root, closed);
  const recovered = value(await finish(root));
  expect(listWriterProcesses(root)).toEqual([]);
  expect(filesOf(root, closed)).toEqual(before);
  expect(recovered).toEqual([
    expect.objectContaining({
      session_id: closed,
      closed: true,
      close: expect.objectContaining({ type: "session.close" }),
    }),
    expect.objectContaining({ session_id: open, closed: false }),
  ]);
  const log = testLog(root);
  expect((await readAll(log, open)).map(({ type }) => type)).toEqual([
    "session.start",
    "session.halted",
    "log.recovered",
  ]);
  expect(await ledgerTexts(log, open, "exec")).toHaveLength(3);
});

test("files that read as whole are written again: after a sync that failed, the disk may not have them", async () => {
  const { root, closed } = await deadWorkspace();
  const written: number[] = [];
  const disk: Disk = {
    ...realDisk,
    write: (fd, bytes, position) => {
      written.push(position);
      return realDisk.write(fd, bytes, position);
    },
  };
  const before = filesOf(root, closed);
  value(await finish(root, disk));
  expect(written.filter((position) => position === 0).length).toBeGreaterThanOrEqual(2 * 2); // events and L-EXEC of both
  expect(filesOf(root, closed)).toEqual(before);
});

test("what stands behind the last line of the journal is cut, and what is missing or torn is there again", async () => {
  const { root, closed } = await deadWorkspace();
  const before = filesOf(root, closed);
  const { events, exec, ledgerFolder } = sessionPaths(root, "ho1", closed);
  for (const spoil of [
    () => writeFileSync(events, `${before[0] ?? ""}{"half":`),
    () => writeFileSync(exec, (before[1] ?? "").replaceAll("a", "\0")),
    () => rmSync(ledgerFolder, { recursive: true }),
  ]) {
    const image = temporaryFolder();
    cpSync(root, image, { recursive: true });
    spoil();
    value(await finish(root));
    expect(filesOf(root, closed)).toEqual(before);
    rmSync(root, { recursive: true });
    cpSync(image, root, { recursive: true });
  }
});

test("a sync that fails leaves the journal to the next process", async () => {
  const { root, closed, open } = await deadWorkspace();
  const before = filesOf(root, closed);
  const failing = { ...realDisk, sync: () => Promise.reject(Object.assign(new Error("EIO"), { code: "EIO" })) };
  const failed = await finish(root, failing);
  expect(failed).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE" } });
  expect(listWriterProcesses(root)).toHaveLength(1);
  expect(value(await finish(root)).map(({ session_id }) => session_id)).toEqual([closed, open]);
  expect(filesOf(root, closed)).toEqual(before);
});
