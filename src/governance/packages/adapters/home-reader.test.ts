import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { type Failpoint, noFailpoints, systemClock } from "#core/values";
import { HomeReader } from "./home-reader.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "writ-home-"));
  mkdirSync(join(root, "packages/PKG-A"), { recursive: true });
  writeFileSync(join(root, "packages/PKG-A/manifest.json"), "{}");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const reading = (failpoint: Failpoint = noFailpoints) =>
  new HomeReader({
    home: { name: "workspace", root, folder: "packages" },
    schemas: shippedRegistry(),
    clock: systemClock,
    failpoint,
  });

/** Another process at work just when the reader gets there for the first time. */
function meanwhile(place: string, act: () => void): Failpoint {
  let pending = true;
  return (name) => {
    if (name !== place || !pending) return;
    pending = false;
    act();
  };
}

test.each([
  ["gone", () => undefined],
  ["a file", () => writeFileSync(join(root, "packages"), "")],
])("a folder that is %s when it is to be listed is empty", (_, leave) => {
  const reader = reading(
    meanwhile("home.marked", () => {
      rmSync(join(root, "packages"), { recursive: true });
      leave();
    }),
  );
  expect(reader.read()).toMatchObject({ packages: [], broken: [] });
  expect(reader.isUnchanged()).toBe(false);
});

test("a package that is taken away while it is read is one that cannot be read", () => {
  const reader = reading(meanwhile("home.found", () => rmSync(join(root, "packages/PKG-A"), { recursive: true })));
  const { packages, broken } = reader.read();
  expect(packages).toEqual([]);
  expect(broken).toEqual([
    { package_id: "PKG-A", message: expect.stringContaining("packages/PKG-A/manifest.json is unreadable (ENOENT") },
  ]);
  expect(reader.read().broken).toEqual([]);
});

test("a file where a package's folder should be is a package without a manifest", () => {
  writeFileSync(join(root, "packages/PKG-B"), "");
  expect(reading().read().broken).toContainEqual({
    package_id: "PKG-B",
    message: "packages/PKG-B/manifest.json is missing",
  });
});
