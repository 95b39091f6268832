// Runs after `npm ci`: the native part of SQLite, and beside it, because a compiler may be busy with that for more than a minute, the
// build. With `--omit=dev` there is nothing to build with, and a published package already holds dist/.
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
const statuses = await Promise.all([
  run(process.execPath, [fileURLToPath(new URL("build-sqlite.mjs", import.meta.url))]),
  canBuild ? run("npm", ["run", "--silent", "build"], { shell: process.platform === "win32" }) : 0,
]);
process.exit(Math.max(...statuses));
