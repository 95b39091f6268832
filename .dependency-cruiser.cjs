// The import walls of docs/architecture.md. A place imports only places to its left, and only by its door.
const order = [
  ["core"],
  ["log"],
  ["proof"],
  ["workspace"],
  ["people"],
  ["governance"],
  ["agents", "effects"],
  ["workflows"],
  ["work"],
  ["runs"],
  ["operate", "surface"],
  ["main"],
  ["embed"],
];
const places = order.flat();
const inside = (names) => `^src/(${names.join("|")})/`;
/** Tests, case suites and fixtures may look at anything. */
const tests = "\\.(test|case|fixture)\\.ts$";
const doors = [
  "^src/[^/]+/index\\.ts$",
  "^src/core/[^/]+/index\\.ts$",
  "^src/governance/(mandate|values)/index\\.ts$",
  "^src/log/(answers|redaction)/index\\.ts$",
];
/** What main's tables list. */
const rows = "/(cli|http|doctor|events|approval-kinds|rehearsals)/";
/** Where files, processes, sockets and databases are touched: adapters, drivers, and what a process starts or serves with. */
const drivers = [
  "/adapters/",
  "/(sqlite|postgres|jsonl|store|sandbox|bundle|verify-exported)/",
  "^src/core/(database|machine)/",
  "^src/(log|proof|effects|surface|operate|main|embed)/",
  "^src/[a-z]+/(cli|doctor)/",
  "^src/(workspace|governance/(packages|pinned|trust)|work/evals|runs/apps)/",
  "/(file-tape|open-kernel)\\.ts$",
  "^src/core/values/system\\.ts$", // the machine's clock and chance: which boot it is stands in a file
];

const walls = order
  .map((siblings, index) =>
    siblings.map((place) => ({
      name: `${place}-imports-only-leftward`,
      comment: `${place}/ may import ${order.slice(0, index).flat().join(", ") || "nothing"}.`,
      severity: "error",
      from: { path: `^src/${place}/`, pathNot: tests },
      to: { path: inside(places.filter((other) => other !== place && !order.slice(0, index).flat().includes(other))) },
    })),
  )
  .flat();

module.exports = {
  forbidden: [
    ...walls.filter(({ to }) => to.path !== "^src/()/"),
    {
      name: "kernel-decides-alone",
      comment: "runs/kernel imports core, log and proof: no other rule and no prose.",
      severity: "error",
      from: { path: "^src/runs/kernel/", pathNot: tests },
      to: { path: "^src/", pathNot: "^src/(core|log|proof|runs/kernel)/" },
    },
    {
      name: "workflows-reach-models-and-tools-through-work",
      comment: "A cycle asks for work; it never calls a model or a tool itself.",
      severity: "error",
      from: { path: "^src/workflows/(run|policies)/", pathNot: tests },
      to: { path: "^src/(agents/models|effects)/" },
    },
    {
      name: "places-are-entered-by-their-door",
      comment: "Import from #place. A lazy import names the file, so that it loads nothing else.",
      severity: "error",
      from: { path: "^src/([^/]+)/", pathNot: [tests, "^src/main/", "^src/embed/"] },
      to: { path: "^src/[^/]+/", pathNot: ["^src/$1/", ...doors], dependencyTypesNot: ["dynamic-import"] },
    },
    {
      name: "main-enters-by-the-door-or-lists-a-row",
      comment: "main imports from #place; its tables list rows by file.",
      severity: "error",
      from: { path: "^src/main/", pathNot: tests },
      to: { path: "^src/", pathNot: ["^src/main/", rows, ...doors], dependencyTypesNot: ["dynamic-import"] },
    },
    {
      name: "only-main-lists-rows",
      comment: "Routes, commands, checks, event kinds and approval kinds are listed by main's tables, by file.",
      severity: "error",
      from: { path: "^src/([^/]+)/", pathNot: [tests, "^src/main/"] },
      to: { path: rows, pathNot: ["^src/$1/", "^src/main/"] },
    },
    // Also cycles of types alone: the parser cannot tell them apart, and a type that two files need has a place of its own.
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "rules-touch-no-machine",
      comment: "Files, processes, sockets, databases and vendor SDKs are touched only in adapters and drivers.",
      severity: "error",
      from: { path: "^src/", pathNot: [tests, ...drivers] },
      to: { path: "^(node:)?(fs|fs/promises|child_process|net|http|https|dgram|tls|worker_threads)$|better-sqlite3" },
    },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|coverage)/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["writ-source", "import", "node", "default"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
  },
};
