import { describe, expect, test } from "vitest";
import { type CompareOptions, compareWrites, comparisonError, type DeclaredOutput } from "./compare.ts";
import type { RealizedWrite } from "./realized.ts";

const output = (path: string, more: Partial<DeclaredOutput> = {}): DeclaredOutput => ({
  path,
  folder: false,
  action: "write",
  ...more,
});
const wrote = (path: string, existed = false): RealizedWrite => ({
  kind: "write",
  path,
  hash: "0".repeat(64),
  size: 1,
  mode: 0o644,
  existed,
});
const folder = (path: string, existed = false): RealizedWrite => ({ kind: "folder", path, mode: 0o755, existed });

function verdict(
  declared: readonly DeclaredOutput[],
  writes: readonly RealizedWrite[],
  more: Partial<CompareOptions> = {},
) {
  const realized = { writes };
  return comparisonError(compareWrites({ declared, realized, given: [], mayWrite: () => true, ...more }), realized)
    ?.code;
}

describe("declared equals realized", () => {
  test("nothing declared and nothing written", () => expect(verdict([], [])).toBeUndefined());
  test("exactly the declared files, with the folders above them", () =>
    expect(verdict([output("a/b/c")], [folder("a"), folder("a/b"), wrote("a/b/c")])).toBeUndefined());
  test("a declared delete", () =>
    expect(verdict([output("a", { action: "delete" })], [{ kind: "delete", path: "a" }])).toBeUndefined());
  test("anything in a declared folder", () =>
    expect(
      verdict(
        [output("site", { folder: true })],
        [folder("site"), wrote("site/x"), folder("site/y"), wrote("site/y/z")],
      ),
    ).toBeUndefined());
  test("folders that Writ gave", () =>
    expect(verdict([], [folder("tmp"), folder("output")], { given: ["tmp", "output"] })).toBeUndefined());
});

describe("an undeclared write is", () => {
  test.each<[string, readonly DeclaredOutput[], readonly RealizedWrite[]]>([
    ["one file more", [output("a")], [wrote("a"), wrote("b")]],
    ["a file beside a declared folder", [output("site", { folder: true })], [wrote("site/x"), wrote("site2")]],
    ["a delete of a declared file", [output("a")], [{ kind: "delete", path: "a" }]],
    ["a write of a file declared as deleted", [output("a", { action: "delete" })], [wrote("a", true)]],
    [
      "a delete in a declared folder",
      [output("site", { folder: true })],
      [wrote("site/x"), { kind: "delete", path: "site/y" }],
    ],
    ["an empty folder", [], [folder("empty")]],
    ["another mode of a folder", [output("a/b")], [folder("a", true), wrote("a/b")]],
    ["a link in a declared place", [output("a")], [{ kind: "refused", path: "a", why: "a symbolic link" }]],
    [
      "a link in a declared folder",
      [output("site", { folder: true })],
      [wrote("site/x"), { kind: "refused", path: "site/l", why: "a symbolic link" }],
    ],
  ])("%s", (_, declared, writes) => expect(verdict(declared, writes)).toBe("UNDECLARED_WRITE"));

  test("a path in a declared folder that the rights do not cover", () =>
    expect(
      verdict([output("p", { folder: true })], [wrote("p/.git/config")], {
        mayWrite: (path) => !path.includes(".git"),
      }),
    ).toBe("UNDECLARED_WRITE"));
});

describe("a missing output is", () => {
  test("a declared file that was not written", () =>
    expect(verdict([output("a"), output("b")], [wrote("a")])).toBe("MISSING_OUTPUT"));
  test("a declared folder that stayed empty", () =>
    expect(verdict([output("site", { folder: true })], [folder("site")])).toBe("MISSING_OUTPUT"));
  test("a declared delete that did not happen", () =>
    expect(verdict([output("a", { action: "delete" })], [])).toBe("MISSING_OUTPUT"));
});

test("a layer beyond its limits is never equal, whatever was seen of it", () => {
  const realized = { writes: [wrote("a")], overLimit: "more than 1 files" };
  const comparison = compareWrites({ declared: [output("a")], realized, given: [], mayWrite: () => true });
  expect(comparisonError(comparison, realized)?.code).toBe("TURN_LIMIT");
});
