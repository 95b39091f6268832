import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { manualClock } from "../../core/values/manual-clock.ts";
import { openSharedStore } from "../../operate/store/sqlite-shared-store.ts";
import { openSqliteKernel } from "../../runs/kernel/store/sqlite/open.ts";
import { checkDatabaseFiles } from "./check-database-files.ts";

const place = mkdtempSync(join(tmpdir(), "writ-database-files-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

async function workspace(name: string): Promise<{ root: string; store: string; kernel: string }> {
  const root = join(place, name);
  const [store, kernel] = [join(root, "planes/hot/store.db"), join(root, "planes/hot/kernel.db")];
  mkdirSync(dirname(store), { recursive: true });
  const clock = manualClock();
  for (const opened of [openSharedStore(store, clock), openSqliteKernel(kernel, { clock })]) {
    if (!opened.ok) throw new Error(opened.error.message);
    await opened.value.close();
  }
  return { root, store, kernel };
}

test("databases that hold together, and those that nobody has made yet, work", async () => {
  const { root, store } = await workspace("sound");
  expect(await checkDatabaseFiles(root, store)).toMatchObject({ health: "works" });
  expect(await checkDatabaseFiles(join(place, "none"), join(place, "none/store.db"))).toMatchObject({
    health: "works",
  });
});

test("one page that was overwritten is found", async () => {
  const { root, store, kernel } = await workspace("one-page");
  const file = openSync(kernel, "r+");
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, 4096); // the second: the first still says what the file is
  closeSync(file);
  expect(await checkDatabaseFiles(root, store)).toMatchObject({
    health: "broken",
    found: expect.stringContaining(kernel),
    why: expect.stringContaining("writ runs"),
    cause: expect.stringContaining("backup"),
  });
});

test("a file that was cut short, and what is no file, are found", async () => {
  const cut = await workspace("cut");
  truncateSync(cut.store, 5_000);
  expect(await checkDatabaseFiles(cut.root, cut.store)).toMatchObject({ health: "broken" });
  const folder = await workspace("folder");
  rmSync(folder.store);
  mkdirSync(folder.store);
  expect(await checkDatabaseFiles(folder.root, folder.store)).toMatchObject({
    health: "broken",
    found: expect.stringContaining("no regular file"),
  });
  const planes = join(place, "planes-is-a-file");
  writeFileSync(planes, "");
  expect(await checkDatabaseFiles(planes, join(planes, "store.db"))).toMatchObject({ health: "broken" });
  const empty = await workspace("empty");
  writeFileSync(empty.store, ""); // as good as none: the next command makes its tables
  expect(await checkDatabaseFiles(empty.root, empty.store)).toMatchObject({ health: "works" });
});
