// The built command line in a process that stays: each message is a command line, run as `writ` would run it. Starting a
// process for each command would cost a second of processor time apiece. It ends with the process that started it.
import { readFileSync } from "node:fs";
import { systemClock, systemRandom } from "../../dist/core-values/index.js";
import { runCli } from "../../dist/main/index.js";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

process.on("message", (line) => void run(line));
process.on("disconnect", () => process.exit());

async function run({ argv, cwd, env }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const pieces = [];
  const stdout = [];
  const stderr = [];
  const out = (list) => ({ write: (text) => list.forEach((each) => each.push(text)), isTTY: false, columns: 100 });
  const status = await runCli(argv, {
    stdout: out([pieces, stdout]),
    stderr: out([pieces, stderr]),
    env: process.env,
    cwd,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    version,
  });
  process.send({ status, printed: pieces.join(""), stdout: stdout.join(""), stderr: stderr.join("") });
}
