// Runs after `npm ci`: the native part of SQLite, and beside it, because a compiler may be busy with that for more than a minute, the
// build. With `--omit=dev` there is nothing to build with, and a published package already holds dist/.
// `npm run prepare -- sqlite` or `-- build` does only that.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const run = (program, args, options) =>
  new Promise((resolve, reject) => {
    spawn(program, args, { stdio: "inherit", ...options })
      .on("error", reject)
      .on("close", (status) => resolve(status ?? 1));
  });
const canBuild = existsSync(new URL("../node_modules/typescript", import.meta.url));
const parts = {
  sqlite: () => run(process.execPath, [fileURLToPath(new URL("build-sqlite.mjs", import.meta.url))]),
  build: () => (canBuild ? run("npm", ["run", "--silent", "build"], { shell: process.platform === "win32" }) : 0),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`nothing to prepare called ${unknown.join(", ")}; there are ${Object.keys(parts).join(" and ")}`);
  process.exit(2);
}
const chosen = asked.length > 0 ? asked : Object.keys(parts);
process.exit(Math.max(...(await Promise.all(chosen.map((name) => parts[name]())))));
