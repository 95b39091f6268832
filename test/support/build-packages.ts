import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Before any test: Writ's own packages are what the sources say, or the gates would shut. From source, so that no build is needed. */
export default function setup(): void {
  const script = fileURLToPath(new URL("../../scripts/build-packages.mjs", import.meta.url));
  const made = spawnSync(process.execPath, ["--conditions=source", "--import=tsx", script], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`the packages could not be built: ${made.stderr}`);
}
