// The corpus of this repository: no decision is looser than the one that Claude Code documents.
import { expect, test } from "vitest";
import { calls } from "./calls.ts";
import { ownHooks } from "./own-hooks.ts";
import { ownPermissions, runPermissionCase } from "./own-permissions.ts";
import { runHookCase } from "./run-hooks.ts";

test("rules of permissions decide as they are documented, or stricter", async () => {
  const rows = await Promise.all(ownPermissions.map(runPermissionCase));
  expect(rows.filter(({ score }) => score === "looser")).toEqual([]);
  const stricter = rows.filter(({ score }) => score === "stricter").map(({ about }) => about);
  // Claude Code allows what it deems harmless inside `sh -c` and for `mkdir`; here it is asked about.
  expect(stricter.length).toBeLessThan(6);
});

/** One call of each kind: a program in a sandbox costs a third of a second. */
const few = calls.filter(({ about }) =>
  /: (?:rm -rf x|git push --force origin main|find \. -name foo|cat \.env|npm publish|git reset --hard HEAD~1|true|src\/a\.ts, 2 and|\.env$|src\/a\.test\.ts$|memory\.)/.test(
    about,
  ),
);

test.for(ownHooks)("$name: every denial, question and change is made", async (each) => {
  const rows = await runHookCase(each, few);
  expect(rows.filter(({ score }) => score === "looser")).toEqual([]);
  expect(rows.some(({ documented, found }) => documented !== "allow" && documented === found)).toBe(true);
});
