import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { repository } from "../support/writ.ts";

/** What CONTRIBUTING.md shows as the model of each typical change, and how its name is written where it stands. */
const models = [
  { change: "a tool", name: "echo", written: /\becho\.(args|result)_v1\b|"\.\/echo\.ts"|^echo /m },
  { change: "an event type", name: "advisor.note", written: /\badvisor\.note(_v1)?\b/ },
  { change: "a command", name: "prune", written: /cli\/prune\.ts"|^(### |===== )writ prune\b/m },
  { change: "a provider", name: "google", written: /\bgoogle\b/ },
  { change: "a policy kind", name: "mode-dispatch", written: /\bmode-dispatch\b/ },
];

/** Code, contracts, reference pages and pins. Tests and guides come on top of them, as many as the change deserves. */
const counted = /^(src\/|schemas\/|studio\/src\/|docs\/reference\/|test\/pins\/recorded\/|package(-lock)?\.json$)/;
/** `first-house-*` says what an earlier version wrote, so nothing new gets into it. */
const notCounted = /\.(test|case|fixture)\.tsx?$|\/first-house-/;

let files: ReadonlyMap<string, string>;
let page: string;
beforeAll(() => {
  const listed = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
  });
  const names = listed.stdout.split("\n").filter((file) => counted.test(file) && !notCounted.test(file));
  files = new Map(names.map((file) => [file, readFileSync(join(repository, file), "utf8")]));
  page = readFileSync(join(repository, "CONTRIBUTING.md"), "utf8");
});

/** The row of the page: its model, the files that are written by hand, those that a command writes, and how many they are. */
function rowOf(change: string) {
  const row = page.split("\n").find((line) => line.startsWith(`| ${change} |`));
  const [, , model = "", byHand = "", byCommand = "", count = ""] = (row ?? "").split("|").map((cell) => cell.trim());
  const paths = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
  return { model: paths(model)[0], byHand: paths(byHand), byCommand: paths(byCommand), count };
}

test.for(models)("$change touches the files that CONTRIBUTING.md lists, and no other", ({ change, name, written }) => {
  const { model, byHand, byCommand, count } = rowOf(change);
  expect(model).toBe(name);
  const touched = [...files]
    .filter(([file, text]) => file.includes(`/${name}.`) || written.test(text))
    .map(([file]) => file);
  // Each contract is pinned by its hash, so a changed one touches the pin without a name.
  if (touched.some((file) => file.startsWith("schemas/"))) touched.push("test/pins/recorded/schemas.txt");
  expect([...byHand, ...byCommand].toSorted()).toEqual([...new Set(touched)].toSorted());
  expect(count).toBe(`${byHand.length} + ${byCommand.length}`);
});

test.for(models)("what a command writes for $change is a page, a pin or the lock", ({ change }) => {
  const { byHand, byCommand } = rowOf(change);
  const isWritten = (file: string) => /^(docs\/reference\/|test\/pins\/recorded\/|package-lock\.json$)/.test(file);
  expect(byCommand.filter((file) => !isWritten(file))).toEqual([]);
  expect(byHand.filter(isWritten)).toEqual([]);
});
