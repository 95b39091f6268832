// Runs after `npm ci`: the native part of SQLite, then the build. With `--omit=dev` there is no compiler to build with,
// and a published package already holds dist/.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import "./build-sqlite.mjs";

if (!existsSync(new URL("../node_modules/typescript", import.meta.url))) process.exit(0);
const { status } = spawnSync("npm", ["run", "--silent", "build"], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
process.exit(status ?? 1);
