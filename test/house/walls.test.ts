import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOfTheTree, type TreeCopy } from "./copy-of-the-tree.ts";

/** One planted file per wall: where it stands, what it imports, and the rule that must name it. */
const violations = [
  {
    wall: "a place does not import places to its right",
    file: "src/core/values/planted-right.ts",
    imports: "#log",
    rule: "core-imports-only-leftward",
  },
  {
    wall: "siblings never import each other",
    file: "src/effects/planted-sibling.ts",
    imports: "#agents",
    rule: "effects-imports-only-leftward",
  },
  {
    wall: "a place is entered by its door",
    file: "src/work/planted-window.ts",
    imports: "../workspace/config/defaults.ts",
    rule: "places-are-entered-by-their-door",
  },
  {
    wall: "main lists rows and enters by doors, nothing else",
    file: "src/main/planted-window.ts",
    imports: "../workspace/config/defaults.ts",
    rule: "main-enters-by-the-door-or-lists-a-row",
  },
  {
    wall: "rows are listed by main alone",
    file: "src/runs/planted-row.ts",
    imports: "../work/cli/run.ts",
    rule: "only-main-lists-rows",
  },
  {
    wall: "the kernel imports core, log and proof only",
    file: "src/runs/kernel/planted-law.ts",
    imports: "#governance",
    rule: "kernel-decides-alone",
  },
  {
    wall: "a cycle calls no tool itself",
    file: "src/workflows/run/planted-tool.ts",
    imports: "#effects",
    rule: "workflows-reach-models-and-tools-through-work",
  },
  {
    wall: "rules touch no disk",
    file: "src/work/flow/planted-disk.ts",
    imports: "node:fs",
    rule: "rules-touch-no-machine",
  },
  {
    wall: "rules start no process",
    file: "src/agents/roles/planted-process.ts",
    imports: "node:child_process",
    rule: "rules-touch-no-machine",
  },
  {
    wall: "rules open no socket",
    file: "src/governance/hooks/planted-socket.ts",
    imports: "node:net",
    rule: "rules-touch-no-machine",
  },
  {
    wall: "the kernel's rules open no database",
    file: "src/runs/kernel/planted-database.ts",
    imports: "better-sqlite3",
    rule: "rules-touch-no-machine",
  },
  {
    wall: "a cycle is found",
    file: "src/core/values/planted-cycle.ts",
    imports: "./planted-cycle-back.ts",
    rule: "no-cycles",
  },
  {
    wall: "an import that leads nowhere is found",
    file: "src/core/values/planted-nowhere.ts",
    imports: "#nowhere",
    rule: "no-unresolved",
  },
] as const;

let tree: TreeCopy;
let output = "";
beforeAll(() => {
  tree = copyOfTheTree();
  expect(tree.check("contracts")).toMatchObject({ status: 0 });
  for (const { file, imports } of violations)
    tree.write(file, `import * as planted from "${imports}";\nexport const used: unknown = planted;\n`);
  tree.write("src/core/values/planted-cycle-back.ts", `export { used } from "./planted-cycle.ts";\n`);
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
  expect(stdout).toContain("not looked at: src/core/values/index.ts");
});

test("no report at all is refused", () => {
  expect(spawnSync(process.execPath, ["scripts/check-walls.mjs"], { cwd: tree.folder, input: "" }).status).toBe(1);
});
