import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/log.ts";
import { realDisk } from "./disk.ts";
import { SyncThreads } from "./sync-threads.ts";

const many = 1_000;
let threads: SyncThreads;
afterEach(() => threads.close());

test("files and folders are synced in threads, as often as asked", async () => {
  const folder = temporaryFolder();
  const files = [1, 2, 3, 4, 5].map((number) => join(folder, String(number)));
  for (const file of files) writeFileSync(file, "text");
  threads = new SyncThreads(realDisk, many);
  const open = files.map((file) => openSync(file, "r+"));
  await threads.sync(open, []);
  await threads.sync(open.slice(0, 1), [folder]);
  for (const fd of open) closeSync(fd);
});

test("a file or folder that cannot be synced fails the whole, with the code of the disk", async () => {
  const folder = temporaryFolder();
  threads = new SyncThreads(realDisk, many);
  await expect(threads.sync([], [folder, join(folder, "missing")])).rejects.toMatchObject({ code: "ENOENT" });
  await expect(threads.sync([999_999], [folder])).rejects.toMatchObject({ code: "EBADF" });
  await threads.sync([], [folder]); // and the next are answered for themselves
});

test("another disk than the real one, and a few files, are synced on this thread", async () => {
  const synced: (number | string)[] = [];
  const disk = {
    ...realDisk,
    sync: async (fd: number) => void synced.push(fd),
    syncFolder: async (path: string) => void synced.push(path),
  };
  threads = new SyncThreads(disk, many);
  await threads.sync([7, 8], ["a"]);
  expect(synced).toEqual([7, 8, "a"]);
});
