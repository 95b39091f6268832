import { join, resolve } from "node:path";
import type { WritConfigV1 } from "#core/contracts";
import { completeClock, type GivenClock, nodeFiles, ownVersion } from "#core/machine";
import { ok, type Result, systemClock, systemRandom } from "#core/values";
import { configFileName, findWorkspace } from "#workspace";
import { openLazily } from "../main/open-lazily.ts";
import type { Wiring } from "../main/open-runtime.ts";
import type { Brought, RuntimeOptions, Workspace } from "../main/parts.ts";

/** A clock and randomness are for simulations; every other program names the workspace and what it brings along. */
export interface OpenOptions
  extends Brought,
    Partial<Omit<RuntimeOptions, "root" | "version" | "clock" | "given" | "brought">> {
  readonly clock?: GivenClock;
  /** Openers of places to use instead of the shipped ones, which it is given. What they hand on is inside, and may change. */
  readonly rewire?: (standard: Wiring) => Partial<Wiring>;
}

export interface OpenWorkspace extends OpenOptions {
  /** The folder of the workspace. One that is there and holds no writ.yaml becomes a workspace with its first use. */
  readonly root: string;
  /** Everything that writ.yaml can say; the folder is made where there is none. Without it the folder's own writ.yaml is the law. */
  readonly config?: WritConfigV1;
}

/**
 * A workspace in this process, with everything that `writ` has at the command line, and with the tools, hooks and models that the
 * program brings along. The caller closes it.
 */
export async function openWorkspace(
  where: string | OpenWorkspace,
  options: OpenOptions = {},
): Promise<Result<Workspace>> {
  const {
    root: folder,
    config: handed,
    rewire,
    tools = [],
    hooks = [],
    providers = [],
    ...wanted
  } = typeof where === "string" ? { root: where, ...options } : where;
  const root = resolve(folder);
  const env = wanted.env ?? process.env;
  const isEmpty = typeof where !== "string" && handed === undefined && (await holdsNoWorkspace(root));
  const config = isEmpty ? {} : handed;
  const made = config === undefined ? ok(undefined) : await makeFor(root, config, env);
  if (!made.ok) return made;
  const found = await findWorkspace({ cwd: root, root, files: nodeFiles });
  if (!found.ok) return found;
  const surroundings = {
    random: systemRandom,
    ...wanted,
    clock: wanted.clock ? completeClock(wanted.clock) : systemClock,
    given: config,
    brought: { tools, hooks, providers },
  };
  // A program that hands its configuration in makes the changes of it.
  const asked =
    config === undefined ? env : { ...env, WRIT_TRUST: [env["WRIT_TRUST"], "own"].filter(Boolean).join(":") };
  return openLazily({ ...surroundings, env: asked, root: found.value, version: ownVersion() }, rewire);
}

/** A folder that cannot be read is reported by who opens it. */
async function holdsNoWorkspace(root: string): Promise<boolean> {
  const [folder, file] = await Promise.all([nodeFiles.stat(root), nodeFiles.stat(join(root, configFileName))]);
  return folder.ok && folder.value?.type === "folder" && file.ok && file.value === undefined;
}

async function makeFor(root: string, config: WritConfigV1, env: NonNullable<OpenOptions["env"]>) {
  const { ensureProgramWorkspace } = await import("../operate/init/program-workspace.ts");
  return ensureProgramWorkspace(root, config, env);
}
