// Rules of the house that no other tool knows. Each names the place and the way out.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const maxLines = 400;

const isTest = (file) => /\.(test|case)\.ts$/.test(file);
const inSource = (file) => /^src\/.*\.ts$/.test(file) && !isTest(file);
/** What compiles an order, weighs it before it has a mandate, or writes another order from it. */
const readsOrders = [
  "src/governance/mandate/",
  "src/governance/frameworks/framework-templates.ts",
  "src/people/",
  "src/work/orders/",
  "src/work/delegation/create-sub-order.ts",
  "src/work/delegation/start-children.ts",
  "src/work/strategies/order-risks.ts",
];
/** What a line may not say, and where. A reason follows every `instead`. */
const rules = [
  {
    // The client of the HTTP API runs in browsers, which no clock is handed into.
    where: (file) => inSource(file) && !/^src\/(core\/values|embed\/client)\//.test(file),
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bsetTimeout\(|\bsetInterval\(|\bperformance\.now\(/,
    instead: "time and chance are handed in: take Clock or Random from #core/values",
  },
  {
    where: inSource,
    pattern: /\bas any\b|@ts-ignore|@ts-expect-error|@ts-nocheck/,
    instead: "no way past the type checker",
  },
  {
    where: inSource,
    pattern: /\bas (\| )?Event<|\bpayload as never\b/,
    instead: "an event's type decides its payload: ask `event.type`, or isEvent and eventsOf of #log",
  },
  {
    where: (file) => inSource(file) && !readsOrders.some((place) => file.startsWith(place)),
    pattern:
      /\b(order|work_order)\??\.((budget|tool_permissions|landing|delegation|approvals)\b|scope\.(allowed|read|forbidden|code|programs|hosts|models))/,
    instead: "what an order may do is asked of its mandate: no other code reads a limit out of an order",
  },
  { where: inSource, pattern: /\b(TODO|FIXME|XXX)\b/, instead: "plans live in issues" },
  {
    where: inSource,
    pattern: /catch\s*(\([^)]*\))?\s*\{\s*\}(?!.*\/\/)|\.catch\(\(\)\s*=>\s*(\{\s*\}|undefined|null)\)(?!.*\/\/)/,
    instead: "an error is handled or passed on; where it may be dropped, a comment on the line says why",
  },
  {
    where: (file) => /^src\/(core\/)?[^/]+\/index\.ts$/.test(file),
    pattern: /^export \*/,
    instead: "a door names what it offers, one by one",
  },
  { where: () => true, pattern: /^(<{7}|>{7}) /, instead: "a merge was not finished" },
  { where: (file) => isTest(file), pattern: /\b(test|it|describe)\.(only|todo)\(/, instead: "every test runs" },
  {
    where: (file) => !/^(LICENSE|scripts\/check-rules\.mjs)$/.test(file),
    pattern: /\bregistry\.[a-z]+\.(org|com)\b|"resolved": "(?!(?:studio|create-writ)")|(^|[\s"'`(]|file:\/\/)\/work\//,
    instead: "no registry host and no path of one machine in committed files",
  },
];

/** What a file may not say, over several lines: a call whose arguments the formatter may have broken. */
const wholeFileRules = [
  {
    where: inSource,
    pattern: /\brm(dir)?(Sync)?\((?:[^();]|\([^();]*\))*\brecursive\b|["'`;]\s*rm\s+-\w*[rR]|\brimraf\b/g,
    instead:
      "removeTree of #core/machine: a recursive removal by path goes through whatever is mounted below, as it once did through a whole workspace",
  },
];

/**
 * Vitest's imported `onTestFinished` belongs to whichever test began last: among tests that run at once, one clears away what another
 * still uses. So a file with such tests takes it from each test's own context, and no helper that imports it.
 */
const importsHook = (text) => /import\s*\{[^}]*\bonTestFinished\b[^}]*\}\s*from "vitest"/.test(text);
const runsAtOnce = (text) => /\b(?:test|it|describe)(?:\.\w+)*\.concurrent\b|\bconcurrent: true\b/.test(text);
const helpersOf = (file, text) =>
  [...text.matchAll(/from "(\.\.?\/[^"]+\.ts)"/g)].map(([, name]) => posix.join(posix.dirname(file), name));

const listed = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});
const files = listed.stdout.split("\n").filter(Boolean);
const problems = [];
const decisions = new Map();
for (const file of files) {
  const number = /^docs\/decisions\/(\d{4})-.*\.md$/.exec(file)?.[1];
  if (number === undefined || !existsSync(join(root, file))) continue; // deleted and not yet committed
  if (decisions.has(number))
    problems.push(`${file}: the number of ${decisions.get(number)}; take the next that is free`);
  decisions.set(number, file);
}
const withHook = new Set();
const atOnce = new Map();
for (const file of files) {
  let text;
  try {
    text = readFileSync(join(root, file), "utf8");
  } catch (thrown) {
    if (thrown.code === "ENOENT" || thrown.code === "EISDIR") continue; // deleted and not yet committed, or a link to a folder
    throw thrown;
  }
  if (/^(src|test)\/.*\.ts$/.test(file)) {
    if (importsHook(text)) withHook.add(file);
    if (runsAtOnce(text)) atOnce.set(file, helpersOf(file, text));
  }
  const lines = text.split("\n");
  const active = rules.filter(({ where }) => where(file));
  for (const [index, line] of lines.entries())
    for (const { pattern, instead } of active)
      if (pattern.test(line)) problems.push(`${file}:${index + 1}: ${line.trim().slice(0, 100)}\n    ${instead}`);
  for (const { pattern, instead } of wholeFileRules.filter(({ where }) => where(file)))
    for (const { 0: found, index } of text.matchAll(pattern))
      problems.push(
        `${file}:${text.slice(0, index).split("\n").length}: ${found.trim().slice(0, 100)}\n    ${instead}`,
      );
  if (/^(src|test|scripts|bench)\/(?!.*\/generated\/).*\.(ts|mjs)$/.test(file) && lines.length > maxLines)
    problems.push(`${file}: ${lines.length} lines; a file is one idea, above ${maxLines} it is several`);
}
for (const [file, helpers] of atOnce)
  for (const other of [file, ...helpers])
    if (withHook.has(other))
      problems.push(
        `${file}: tests at once, and ${other} imports onTestFinished from vitest\n    take it from the test's own context: test("…", ({ onTestFinished }) => …)`,
      );
if (files.length === 0) problems.push("git lists no file: run this in a clone");
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);
