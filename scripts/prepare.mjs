// Runs after `npm ci`. With `--omit=dev` there is no compiler, and a published package already holds dist/.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

if (!existsSync(new URL("../node_modules/typescript", import.meta.url))) process.exit(0);
const { status } = spawnSync("npm", ["run", "--silent", "build"], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
process.exit(status ?? 1);
