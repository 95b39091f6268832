import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holdLiveness, isAlive } from "./liveness.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "writ-liveness-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a process is alive while it holds its lock, and checking takes no lock from other processes", () => {
  const file = join(newFolder(), "alive.lock");
  const lock = holdLiveness(file);
  expect(isAlive(file)).toBe(true);
  expect(holdLiveness(file)).toBeUndefined();
  lock?.release();
  expect(isAlive(file)).toBe(false);
  expect(isAlive(file)).toBe(false);
  holdLiveness(file)?.release();
});

test("a process that ends during the check is not alive, and the check creates no file", () => {
  const folder = newFolder();
  expect(isAlive(join(folder, "gone.lock"))).toBe(false);
  expect(isAlive(join(folder, "gone", "alive.lock"))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});
