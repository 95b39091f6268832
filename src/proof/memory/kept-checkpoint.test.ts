import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canonicalJson } from "#core/values";
import { fileOfMemory, readKept, type SeenCheckpoint, writeKept } from "./kept-checkpoint.ts";

const checkpoint = (tree_size: number): string =>
  canonicalJson({
    kind: "checkpoint",
    tree_size,
    root_hash: "a".repeat(64),
    key_id: "b".repeat(64),
    signature: Buffer.alloc(64).toString("base64"),
    ts: "2026-11-16T19:24:41.445Z",
  });
const seen = (where: SeenCheckpoint["in"], tree_size: number): SeenCheckpoint => ({
  line: checkpoint(tree_size),
  in: where,
  at: tree_size,
});

test("sessions in a database and runs in files are two logs: neither is judged by what was kept of the other", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = { folder, root: "/some/where", tenant: "default" };
  const [files, database] = [{ ...place, in: "file" } as const, { ...place, in: "database" } as const];
  const sizeOf = (at: typeof files | typeof database) => {
    const found = readKept(at);
    return found.is === "kept" ? found.kept.checkpoint.tree_size : found;
  };
  await writeKept(files, seen("file", 2));
  expect(sizeOf(database)).toBe(2); // before the log moved into the database, what was kept of the files holds
  await writeKept(database, seen("database", 63));
  expect([sizeOf(files), sizeOf(database)]).toEqual([2, 63]);
  await writeKept(files, seen("file", 3));
  expect([sizeOf(files), sizeOf(database)]).toEqual([3, 63]);
  rmSync(fileOfMemory(database));
  await writeKept(files, seen("database", 63)); // as an older Writ kept it
  expect([sizeOf(files), sizeOf(database)]).toEqual([{ is: "nothing" }, 63]);
});
