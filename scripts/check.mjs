// `npm run check`: every check of the house, one after the other, each named with its time; all that fail are shown.
// `npm run check -- lint walls` runs only these. The commands themselves stand in package.json as check:NAME.
import { spawnSync } from "node:child_process";
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
for (const name of asked.length > 0 ? asked : names) {
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(scripts[`check:${name}`], {
    cwd: root,
    env,
    shell: true,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5);
  const ok = status === 0;
  console.log(`${ok ? "ok    " : "FAILED"} ${seconds} s  ${name.padEnd(10)} ${titles[name] ?? ""}`);
  if (ok) continue;
  failed.push(name);
  const said = [stdout, stderr, error?.message].filter(Boolean).join("").trimEnd();
  console.log(said.replaceAll(/^/gm, "         "));
  // Everything after reads what the contracts generate: without it their complaints would only mislead.
  if (name === "contracts") break;
}
if (failed.length > 0) {
  console.log(`\nred: ${failed.join(", ")}. One at a time: npm run check -- ${failed[0]}`);
  process.exit(1);
}
console.log("\nall green");
