import { expect, test } from "vitest";
import { referencesIn } from "./program-references.ts";

test("hostile text costs linear time", () => {
  const units = [
    "@",
    "-",
    "./",
    "a/",
    '-"sh ',
    "sh -x ",
    "$(dirname ",
    "dirname",
    "'",
    "=",
    "import ",
    "from .",
    " ",
    "include ",
    "\\",
    "node run ",
    "join(",
    "join('a', ",
    'import("',
    "exec('a ",
    "for x in ",
    "x=a/",
    "cd ",
    " -f a",
    "eval ",
    "| sh",
    "$(MAKE) ",
    "import(`a/${",
    'spawn("a/" + ',
    'f"{x} ',
    'join("a", b',
    "a/$x",
    "(a/",
  ];
  for (const path of ["a.sh", "a.mjs", "a.py", "Makefile"])
    for (const unit of units) {
      const began = performance.now();
      referencesIn(path, `sh ${unit.repeat(Math.ceil(65_536 / unit.length))}`);
      referencesIn(path, `$(dirname ${unit.repeat(Math.ceil(65_536 / unit.length))}`);
      // What is not linear takes minutes.
      expect([path, unit, performance.now() - began]).toEqual([
        path,
        unit,
        expect.toSatisfy((ms: number) => ms < 5_000),
      ]);
    }
});
