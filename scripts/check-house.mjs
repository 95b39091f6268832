// How large main, a door and a folder may be: a newcomer reads each of them as a list.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "@swc/core";

const root = fileURLToPath(new URL("../", import.meta.url));

/** `main` constructs and lists, in under 900 lines. What is more than that belongs into a place. */
const main = { lines: 899, file: 200 };
/** Above the limit stand only these, with what they have: a number falls with its door or folder, and goes at the limit. */
const doors = {
  limit: 60,
  exceptions: {
    "src/agents/index.ts": 62, // two ways to think (roles, prompts of others) and what bounds both: context, skills, budget
    "src/core/contracts/index.ts": 105, // 94 are types, one for each contract in schemas/ that code names
    "src/log/index.ts": 100, // every place records and reads
  },
};
const folders = {
  limit: 40,
  exceptions: {
    "src/runs/kernel/store/postgres/queries": 52, // one query per file
    "src/runs/kernel/store/sqlite/queries": 48,
  },
};

const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((file) => `src/${file.replaceAll("\\", "/")}`)
  .filter((file) => /\.(ts|sql)$/.test(file) && !/\.(test|case|fixture)\.ts$|\/generated\//.test(file));
const problems = [];
checkMain();
checkTable(
  doors,
  "names",
  countBy(sources.filter(isDoor), (door) => door, namesOn),
);
checkTable(
  folders,
  "files",
  countBy(sources, posix.dirname, () => 1),
);
if (sources.length === 0) problems.push("no file was looked at: is the folder still called src?");
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);

function checkMain() {
  let lines = 0;
  for (const file of sources.filter((name) => name.startsWith("src/main/") && name.endsWith(".ts"))) {
    const own = textOf(file).trimEnd().split("\n").length;
    lines += own;
    if (own > main.file) problems.push(`${file}: ${own} lines, and a file of main has at most ${main.file}`);
  }
  if (lines > main.lines)
    problems.push(
      `src/main: ${lines} lines, and at most ${main.lines}: it constructs and lists, all else is a place's`,
    );
}

function checkTable({ limit, exceptions }, unit, counts) {
  for (const [name, count] of counts) {
    const allowed = exceptions[name] ?? limit;
    if (count > allowed) problems.push(`${name}: ${count} ${unit}, and at most ${allowed}`);
  }
  for (const [name, allowed] of Object.entries(exceptions)) {
    const count = counts.get(name) ?? 0;
    if (count <= limit) problems.push(`${name}: ${count} ${unit} need no exception; strike it out of check-house.mjs`);
    else if (count < allowed) problems.push(`${name}: ${count} ${unit}; lower the ${allowed} of check-house.mjs`);
  }
}

function countBy(files, nameOf, countOf) {
  const counts = new Map();
  for (const file of files) counts.set(nameOf(file), (counts.get(nameOf(file)) ?? 0) + countOf(file));
  return counts;
}

function isDoor(file) {
  // No place enters embed: its names are the package's, and pinned one by one.
  return /^src\/(core\/[^/]+|governance\/(mandate|values)|log\/(answers|redaction)|(?!embed\/)[^/]+)\/index\.ts$/.test(
    file,
  );
}

function namesOn(door) {
  const { body } = parseSync(textOf(door), { syntax: "typescript", target: "es2022" });
  return body.reduce((sum, { type, specifiers }) => {
    if (type === "ExportNamedDeclaration") return sum + specifiers.length;
    return sum + (type === "ExportDeclaration" ? 1 : 0);
  }, 0);
}

function textOf(file) {
  return readFileSync(join(root, file), "utf8");
}
