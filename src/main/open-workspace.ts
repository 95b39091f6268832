import { resolve } from "node:path";
import { nodeFiles, ownVersion } from "#core/machine";
import { type Result, systemClock, systemRandom } from "#core/values";
import { findWorkspace } from "#workspace";
import type { Runtime, RuntimeOptions, Workspace } from "./parts.ts";

/** A clock and randomness are for simulations; every other program names the workspace alone. */
export type OpenOptions = Partial<Omit<RuntimeOptions, "root" | "version">>;

/** A workspace in this process, with everything that `writ` has at the command line. The caller closes it. */
export async function openWorkspace(folder: string, options: OpenOptions = {}): Promise<Result<Workspace>> {
  const root = resolve(folder);
  const found = await findWorkspace({ cwd: root, root, files: nodeFiles });
  if (!found.ok) return found;
  return openLazily({
    clock: systemClock,
    random: systemRandom,
    env: process.env,
    ...options,
    root: found.value,
    version: ownVersion(),
  });
}

/** The runtime is nearly all of Writ, so it is loaded when a caller opens one; `writ config show` and the like stay quick. */
export async function openLazily(options: RuntimeOptions): Promise<Result<Runtime>> {
  return (await import("./open-runtime.ts")).openRuntime(options);
}
