// The import walls of docs/architecture.md. A room imports only rooms to its left, and only by its door.
const order = [
  ["base"],
  ["schemas"],
  ["store"],
  ["events"],
  ["governance"],
  ["budget"],
  ["hooks"],
  ["turns"],
  ["tools", "providers"],
  ["skills"],
  ["attention"],
  ["agents"],
  ["workflows"],
  ["flow"],
  ["evals", "apps", "workers"],
  ["compose"],
  ["http"],
  ["cli"],
];
const rooms = order.flat();
const kernelUsers = ["apps", "workers", "compose", "http", "cli"];
const inside = (names) => `^src/(${names.join("|")})/`;

const walls = order
  .map((siblings, index) =>
    siblings.map((room) => ({
      name: `${room}-imports-only-leftward`,
      comment: `${room}/ may import ${order.slice(0, index).flat().join(", ") || "nothing"}.`,
      severity: "error",
      from: { path: `^src/${room}/`, pathNot: "\\.(test|case)\\.ts$" },
      to: { path: inside(rooms.filter((other) => other !== room && !order.slice(0, index).flat().includes(other))) },
    })),
  )
  .flat();

module.exports = {
  forbidden: [
    ...walls,
    {
      name: "workflows-reach-models-and-tools-through-agents",
      comment: "L8 calls L3; it never references L1 or L2 itself.",
      severity: "error",
      from: { path: "^src/workflows/", pathNot: "\\.(test|case)\\.ts$" },
      to: { path: "^src/(tools|providers)/" },
    },
    {
      name: "kernel-stands-beside-the-tower",
      severity: "error",
      from: { path: "^src/kernel/", pathNot: "\\.(test|case)\\.ts$" },
      to: { path: "^src/", pathNot: inside(["kernel", "base", "schemas", "store", "events"]) },
    },
    {
      name: "only-the-top-imports-the-kernel",
      severity: "error",
      from: { path: "^src/", pathNot: inside(["kernel", ...kernelUsers]) },
      to: { path: "^src/kernel/" },
    },
    {
      name: "rooms-are-entered-by-their-door",
      severity: "error",
      from: { path: "^src/([^/]+)/" },
      to: { path: "^src/[^/]+/", pathNot: "^src/$1/|^src/[^/]+/index\\.ts$" },
    },
    // Also cycles of types alone: the parser cannot tell them apart, and a type that two files need has a place of its own.
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "pure-rooms-touch-no-machine",
      comment: "Files, processes, sockets, databases and vendor SDKs are touched only in adapters and drivers.",
      severity: "error",
      from: {
        path: "^src/(schemas|governance|budget|hooks|skills|attention|agents|workflows|flow|evals|apps|workers|kernel)/",
        pathNot: "/adapters/|^src/kernel/store/|\\.(test|case)\\.ts$",
      },
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
