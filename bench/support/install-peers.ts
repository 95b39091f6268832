import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Peers live in packages of their own, so that Writ never depends on them. Answers the folder of the package. */
export function installPeers(name: "peers" | "peers-node-22"): string {
  const folder = fileURLToPath(new URL(`../${name}/`, import.meta.url));
  const manifest = `${folder}package.json`;
  const installed = `${folder}node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(manifest).mtimeMs) return folder;
  console.log(`installing the packages of bench/${name}/ …`);
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`the packages of bench/${name}/ could not be installed`);
  return folder;
}
