import { expect, test } from "vitest";
import { whyNamesNothing } from "./names-nothing.ts";

test.each([
  "notes//a",
  "notes/./a",
  "/notes/a",
  "../a",
  "notes/../a",
  "notes\\a",
  " notes/a",
  "notes/a\t",
  "!notes/a",
  "",
])("%j names no file, so nothing may rest on it", (pattern) => {
  expect(whyNamesNothing(pattern)).toContain("the pattern ");
});

test.each([
  "notes",
  "notes/",
  "./notes/",
  "**",
  "**/*.csv",
  "notes/{a,b}.csv",
  "notes/a\\*.csv",
  ".env*",
  "a b/c",
  "\\!a",
])("%j may name one", (pattern) => {
  expect(whyNamesNothing(pattern)).toBeUndefined();
});
