/** One planted file per wall: where it stands, what it imports, and the rule that must name it. */
export const violations = [
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

/** The planted files, by path. */
export const plantedWalls: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    violations.map(({ file, imports }) => [
      file,
      `import * as planted from "${imports}";\n\nexport const used: unknown = planted;\n`,
    ]),
  ),
  "src/core/values/planted-cycle-back.ts": `export { used } from "./planted-cycle.ts";\n`,
};
