import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isWithoutNativePart, NativePartMissing } from "./new-database.ts";

const require = createRequire(import.meta.url);

/** better-sqlite3 as installed without its scripts: everything but the compiled part. */
function installedWithoutScripts(): string {
  const folder = mkdtempSync(join(tmpdir(), "writ-native-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sqlite = dirname(require.resolve("better-sqlite3/package.json"));
  const beside = createRequire(join(sqlite, "package.json"));
  const modules = join(folder, "node_modules");
  for (const part of ["package.json", "lib"])
    cpSync(join(sqlite, part), join(modules, "better-sqlite3", part), { recursive: true });
  for (const name of ["bindings", "file-uri-to-path"])
    cpSync(dirname(beside.resolve(`${name}/package.json`)), join(modules, name), { recursive: true });
  return folder;
}

function thrownBy(folder: string): unknown {
  const Broken = createRequire(join(folder, "package.json"))("better-sqlite3") as new (file: string) => object;
  try {
    return new Broken(":memory:");
  } catch (thrown) {
    return thrown;
  }
}

test("a native part that is missing, or built for another Node, is reported in one line with its remedy", () => {
  const missing = thrownBy(installedWithoutScripts());
  expect(String(missing)).toContain("Tried:\n"); // what npm's loader says: a dozen lines
  expect(isWithoutNativePart(missing)).toBe(true);

  const foreign = installedWithoutScripts();
  const release = join(foreign, "node_modules", "better-sqlite3", "build", "Release");
  mkdirSync(release, { recursive: true });
  writeFileSync(join(release, "better_sqlite3.node"), "made for another machine");
  expect(isWithoutNativePart(thrownBy(foreign))).toBe(true);

  const { message, cause } = new NativePartMissing(missing);
  expect(message).toMatch(/^SQLite's native part \(better-sqlite3\) is not built for Node \d+\.\d+\.\d+ on \w+ \w+$/);
  expect(cause).toBe(missing);
  expect(NativePartMissing.mend).toContain("npm rebuild better-sqlite3");
});

test("a problem with a file is not reported as a missing native part", () => {
  expect(isWithoutNativePart(new Error("unable to open database file"))).toBe(false);
  expect(isWithoutNativePart("locked")).toBe(false);
});
