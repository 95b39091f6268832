import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolders } from "./make-folders.ts";

function place(): string {
  const root = mkdtempSync(join(tmpdir(), "writ-folders-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

test("makes what is missing, with its mode, and says whether it made anything", async () => {
  const root = place();
  expect(await makeFolders(join(root, "a/b/c"), 0o700)).toBe(true);
  expect(["a", "a/b", "a/b/c"].map((name) => statSync(join(root, name)).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
  expect(await makeFolders(join(root, "a/b/c"))).toBe(false);
  symlinkSync(join(root, "a"), join(root, "link"));
  expect(await makeFolders(join(root, "link/d"))).toBe(true);
  expect(existsSync(join(root, "a/d"))).toBe(true);
});

test("several at once make the same folders", async () => {
  const root = place();
  // Often, because it takes two of them to meet between a refusal and the look at what was missing.
  for (let round = 0; round < 100; round++) {
    const folder = join(root, `${round}/x/y/z`);
    const made = await Promise.all(Array.from({ length: 8 }, () => makeFolders(folder)));
    expect(made).toContain(true);
    expect(statSync(folder).isDirectory()).toBe(true);
  }
});

test("says what is in the way, also where no folder can be", async () => {
  const root = place();
  writeFileSync(join(root, "file"), "");
  await expect(makeFolders(join(root, "file"))).rejects.toThrow("EEXIST");
  await expect(makeFolders(join(root, "file/below"))).rejects.toThrow("ENOTDIR");
  symlinkSync(join(root, "nowhere"), join(root, "dangling"));
  await expect(makeFolders(join(root, "dangling/below"))).rejects.toThrow(/EEXIST|ENOENT/);
  if (process.platform === "linux") await expect(makeFolders("/proc/nowhere/below")).rejects.toThrow("ENOENT");
});
