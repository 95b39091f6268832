import { resolve } from "node:path";
import { nodeFiles, ownVersion } from "#core/machine";
import { type Result, systemClock, systemRandom } from "#core/values";
import { findWorkspace } from "#workspace";
import type { Wiring } from "./open-runtime.ts";
import type { Runtime, RuntimeOptions, Workspace } from "./parts.ts";

/** A clock and randomness are for simulations; every other program names the workspace alone. */
export interface OpenOptions extends Partial<Omit<RuntimeOptions, "root" | "version">> {
  /** Openers of places to use instead of the shipped ones, which it is given. What they hand on is inside, and may change. */
  readonly rewire?: (standard: Wiring) => Partial<Wiring>;
}

/** A workspace in this process, with everything that `writ` has at the command line. The caller closes it. */
export async function openWorkspace(folder: string, options: OpenOptions = {}): Promise<Result<Workspace>> {
  const root = resolve(folder);
  const found = await findWorkspace({ cwd: root, root, files: nodeFiles });
  if (!found.ok) return found;
  const { rewire, ...given } = options;
  const surroundings = { clock: systemClock, random: systemRandom, env: process.env };
  return openLazily({ ...surroundings, ...given, root: found.value, version: ownVersion() }, rewire);
}

/** The runtime is nearly all of Writ, so it is loaded when a caller opens one; `writ config show` and the like stay quick. */
export async function openLazily(
  options: RuntimeOptions,
  rewire: OpenOptions["rewire"] = () => ({}),
): Promise<Result<Runtime>> {
  const { openRuntime, standard } = await import("./open-runtime.ts");
  return openRuntime(options, { ...standard, ...rewire(standard) });
}
