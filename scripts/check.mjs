// `npm run check`: every check of the house, each named with its time; all that fail are shown.
// `npm run check -- lint walls` runs only these. The commands themselves stand in package.json as check:NAME.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const titles = {
  contracts: "contracts are valid, frozen ones unchanged; types are generated from them",
  types: "types",
  format: "format and import order",
  lint: "typed lint",
  walls: "import walls",
  dead: "dead code, dead exports, unused dependencies",
  rules: "house rules",
  parameters: "no function with more than four positional parameters",
  words: "plain words in comments and names",
  house: "main, doors and folders within their limits",
  package: "what would be published",
};

const names = Object.keys(scripts)
  .filter((name) => name.startsWith("check:"))
  .map((name) => name.slice("check:".length));
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no check called ${unknown.join(", ")}; there are ${names.join(", ")}`);
  process.exit(2);
}

const env = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  NO_COLOR: "1",
  FORCE_COLOR: undefined,
};
const failed = [];

/** Runs one check to its end. */
function run(name) {
  const started = performance.now();
  const child = spawn(scripts[`check:${name}`], { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => said.push(data));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) =>
      resolve({ ok: status === 0, said: Buffer.concat(said).toString().trimEnd(), ms: performance.now() - started }),
    );
  });
}

function show(name, { ok, said, ms }) {
  const seconds = (ms / 1000).toFixed(1).padStart(5);
  console.log(`${ok ? "ok    " : "FAILED"} ${seconds} s  ${name.padEnd(10)} ${titles[name] ?? ""}`);
  if (ok) return;
  failed.push(name);
  console.log(said.replaceAll(/^/gm, "         "));
}

/** Two at a time, because some keep only one core busy; shown in their order. */
async function runAll(names) {
  const waiting = [...names];
  const ended = new Map();
  let shown = 0;
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      ended.set(name, await run(name));
      for (; ended.has(names[shown]); shown++) show(names[shown], ended.get(names[shown]));
    }
  };
  await Promise.all([lane(), lane()]);
}

const chosen = asked.length > 0 ? asked : names;
await runAll(chosen.filter((name) => name === "contracts"));
// Everything else reads what the contracts generate: without it their complaints would only mislead.
if (failed.length === 0) await runAll(chosen.filter((name) => name !== "contracts"));
if (failed.length > 0) {
  console.log(`\nred: ${failed.join(", ")}. One at a time: npm run check -- ${failed[0]}`);
  process.exit(1);
}
console.log("\nall green");
