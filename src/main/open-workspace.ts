import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { nodeFiles, packageRoot } from "#core/machine";
import { type Result, systemClock, systemRandom } from "#core/values";
import { findWorkspace } from "#workspace";
import { openRuntime } from "./open-lazily.ts";
import type { RuntimeOptions, Workspace } from "./parts.ts";

/** A clock and randomness are for simulations; every other program names the workspace alone. */
export type OpenOptions = Partial<Omit<RuntimeOptions, "root" | "version">>;

/** A workspace in this process, with everything that `writ` has at the command line. The caller closes it. */
export async function openWorkspace(folder: string, options: OpenOptions = {}): Promise<Result<Workspace>> {
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
