import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** A script of ours, and what it imports from source, joined into one file that plain Node starts fast. */
export function joined(script: string): string {
  const target = join(root, "dist", "children", `${basename(script).replace(/\.(ts|mjs)$/, "")}.mjs`);
  const made = spawnSync(process.execPath, [join(root, "scripts", "join-child.mjs"), script, target], {
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`${script} could not be joined: ${made.stderr}`);
  return target;
}
