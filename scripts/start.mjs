// `npm start`: the shortest way from a fresh clone to something that runs. Makes ./demo once and works there.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../bin/writ.js", import.meta.url));
const demo = fileURLToPath(new URL("../demo", import.meta.url));
const writ = (...args) => {
  const { status } = spawnSync(process.execPath, [launcher, ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};

writ("init", demo);
writ("run", "greet Ada", "--root", demo);
console.log(`\n\`npm link\` puts \`writ\` on your path; without it, type \`node ${launcher}\` in its place.`);
