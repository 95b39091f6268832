import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOfTheTree, type TreeCopy } from "./copy-of-the-tree.ts";

/** One planted file per wall: where it stands, what it imports, and the rule that must name it. */
const violations = [
  {
    wall: "a room does not import rooms to its right",
    file: "src/base/planted-right.ts",
    imports: "#schemas",
    rule: "base-imports-only-leftward",
  },
  {
    wall: "siblings never import each other",
    file: "src/tools/planted-sibling.ts",
    imports: "#providers",
    rule: "tools-imports-only-leftward",
  },
  {
    wall: "a room is entered by its door",
    file: "src/cli/planted-window.ts",
    imports: "../compose/config/defaults.ts",
    rule: "rooms-are-entered-by-their-door",
  },
  {
    wall: "the kernel imports base, schemas, store and events only",
    file: "src/kernel/planted-tower.ts",
    imports: "#governance",
    rule: "kernel-stands-beside-the-tower",
  },
  {
    wall: "only the top imports the kernel",
    file: "src/flow/planted-kernel.ts",
    imports: "#kernel",
    rule: "only-the-top-imports-the-kernel",
  },
  {
    wall: "pure rooms touch no disk",
    file: "src/flow/planted-disk.ts",
    imports: "node:fs",
    rule: "pure-rooms-touch-no-machine",
  },
  {
    wall: "pure rooms start no process",
    file: "src/agents/planted-process.ts",
    imports: "node:child_process",
    rule: "pure-rooms-touch-no-machine",
  },
  {
    wall: "pure rooms open no socket",
    file: "src/hooks/planted-socket.ts",
    imports: "node:net",
    rule: "pure-rooms-touch-no-machine",
  },
  {
    wall: "the kernel's rules open no database",
    file: "src/kernel/planted-database.ts",
    imports: "better-sqlite3",
    rule: "pure-rooms-touch-no-machine",
  },
  {
    wall: "a cycle is found",
    file: "src/base/planted-cycle.ts",
    imports: "./planted-cycle-back.ts",
    rule: "no-cycles",
  },
  {
    wall: "an import that leads nowhere is found",
    file: "src/base/planted-nowhere.ts",
    imports: "#nowhere",
    rule: "no-unresolved",
  },
] as const;

let tree: TreeCopy;
let output = "";
beforeAll(() => {
  tree = copyOfTheTree();
  for (const room of ["governance", "providers", "kernel"])
    if (!existsSync(join(tree.folder, "src", room, "index.ts")))
      tree.write(`src/${room}/index.ts`, "export const door = 1;\n");
  expect(tree.check("contracts")).toMatchObject({ status: 0 });
  for (const { file, imports } of violations)
    tree.write(file, `import * as planted from "${imports}";\nexport const used: unknown = planted;\n`);
  tree.write("src/base/planted-cycle-back.ts", `export { used } from "./planted-cycle.ts";\n`);
  const result = tree.check("walls");
  expect(result.status).toBe(1);
  output = result.output;
});
afterAll(() => tree.drop());

test.each(violations)("$wall", ({ file, rule }) => {
  expect(output).toMatch(new RegExp(`${rule}: .*${file.replace("src/", "").replace(".ts", "")}`));
});

test("a report that saw no module is refused: the cruiser calls that a pass", () => {
  const report = JSON.stringify({
    modules: [],
    summary: { violations: [], totalCruised: 0, totalDependenciesCruised: 0 },
  });
  const { status, stdout } = spawnSync(process.execPath, ["scripts/check-walls.mjs"], {
    cwd: tree.folder,
    input: report,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stdout).toContain("not looked at: src/base/index.ts");
});

test("no report at all is refused", () => {
  expect(spawnSync(process.execPath, ["scripts/check-walls.mjs"], { cwd: tree.folder, input: "" }).status).toBe(1);
});
