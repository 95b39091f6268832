import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Result, systemClock, systemRandom } from "#base";
import { nodeFiles } from "../adapters/node-files.ts";
import { openRuntime } from "../runtime/open-lazily.ts";
import { packageRoot } from "../runtime/package-root.ts";
import type { Runtime, RuntimeOptions } from "../runtime/runtime.ts";
import { findWorkspace } from "../workspace/find-workspace.ts";

/** A clock and randomness of one's own are for simulations; everybody else names the workspace. */
export type OpenOptions = Partial<Omit<RuntimeOptions, "root" | "version">>;

/** A workspace in this process, with everything that `writ` has at the command line. Whoever opens it closes it. */
export async function openWorkspace(folder: string, options: OpenOptions = {}): Promise<Result<Runtime>> {
  const root = resolve(folder);
  const found = await findWorkspace({ cwd: root, root, files: nodeFiles });
  if (!found.ok) return found;
  return openRuntime({
    clock: systemClock,
    random: systemRandom,
    env: process.env,
    ...options,
    root: found.value,
    version: ownVersion(),
  });
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(`${packageRoot}/package.json`, "utf8")) as { readonly version: string }).version;
}
