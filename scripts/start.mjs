// `npm start`: the shortest way from a fresh clone to something that runs. Makes ./demo once, and has an agent mend a small
// program there: it reads, is refused once, edits, runs the test in a turn, and answers. No key is needed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../bin/writ.js", import.meta.url));
const demo = process.argv[2] ?? fileURLToPath(new URL("../demo", import.meta.url));

const files = {
  "src/total.mjs": `export function total(prices) {
  let sum = 0;
  for (let at = 1; at < prices.length; at++) sum += prices[at];
  return sum;
}
`,
  "test/total.test.mjs": `import assert from "node:assert/strict";
import { total } from "../src/total.mjs";

assert.equal(total([1, 2, 3]), 6);
console.log("total adds up");
`,
  "hooks/no-rewrites.mjs": `/** What is in src is edited place by place, so that a reviewer sees what changed. */
export default ({ args }) =>
  String(args.path).startsWith("src/")
    ? { decision: "deny", reason: "files of src are edited with fs.edit, not written anew" }
    : { decision: "allow", reason: "not in src" };
`,
  "script.yaml": `# What the scripted model says to the request of \`npm start\`. A profile in writ.yaml brings a real model instead.
rules:
  - when: { role: solo, call: 1, prompt: "mend the total" }
    respond: { tool_calls: [{ name: fs.read, args: { path: src/total.mjs } }, { name: fs.read, args: { path: test/total.test.mjs } }] }
  - when: { role: solo, call: 2, prompt: "mend the total" }
    respond: { tool_calls: [{ name: fs.write, args: { path: src/total.mjs, content: "export const total = (prices) => prices.reduce((a, b) => a + b, 0);\\n", expected_hash: "", why: "shorter" } }] }
  - when: { role: solo, call: 3, prompt: "mend the total" }
    respond: { tool_calls: [{ name: fs.edit, args: { path: src/total.mjs, edits: [{ old: "let at = 1;", new: "let at = 0;" }], why: "the first price was left out" } }] }
  - when: { role: solo, call: 4, prompt: "run its test" }
    respond: { tool_calls: [{ name: exec, args: { command: [node, test/total.test.mjs] } }] }
  - when: { role: solo, call: 5, prompt: "run its test" }
    respond: { text: "src/total.mjs left out the first price, because its loop began at 1; it begins at 0 now. test/total.test.mjs passes." }
  - when: { role: solo, call: 4, prompt: "mend the total" }
    respond: { text: "src/total.mjs left out the first price, because its loop began at 1; it begins at 0 now. The test was not run." }
`,
  "writ.yaml": `# The demo of \`npm start\`. \`writ config show\` prints what is in force.
version: 1
provider: scripted
script: script.yaml
max_concurrent_flows: 4
request: { allowed_files: ["src/**", "notes/**"] }
hooks:
  PreToolUse:
    - matcher: "fs.write"
      hooks: [{ type: module, module: "hooks/no-rewrites.mjs" }]
`,
};

const run = (args, stdio = "inherit") =>
  spawnSync(process.execPath, [launcher, ...args, "--root", demo], { stdio, encoding: "utf8" });
const must = ({ status }) => {
  if (status !== 0) process.exit(status ?? 1);
};

const isNew = !existsSync(join(demo, "writ.yaml"));
// First the workspace, then what it declares: so it is this user's own, and there is nothing to be asked about.
must(spawnSync(process.execPath, [launcher, "init", demo], { stdio: isNew ? "inherit" : "ignore" }));
if (isNew || existsSync(join(demo, "src/total.mjs")))
  for (const [path, text] of Object.entries(files)) {
    if (!isNew && path !== "src/total.mjs") continue; // the program is broken again, everything else is the user's
    mkdirSync(dirname(join(demo, path)), { recursive: true });
    writeFileSync(join(demo, path), text);
  }

// Tried, not guessed: whether a program can run in a turn here.
const tried = run(["tool", "call", "exec", '{"command":["node","--version"]}', "--json"], "pipe");
if (tried.status === 0) must(run(["run", "mend the total in src/total.mjs and run its test", "--tool", "exec"]));
else {
  must(run(["run", "mend the total in src/total.mjs"]));
  const [, why = "no reason was given"] =
    `${tried.stdout}${tried.stderr}`.match(/"(?:message|error)":\s*"((?:[^"\\]|\\.)*)"/) ?? [];
  console.log(
    `\nThe test was not run, because no program can run in a turn here: ${why.slice(0, 300)}\n\`writ doctor\` tells what is missing.`,
  );
}
console.log(`\n\`npm link\` puts \`writ\` on your path; without it, type \`node ${launcher}\` in its place.`);
