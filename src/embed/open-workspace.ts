import { join, resolve } from "node:path";
import type { WritConfigV1 } from "#core/contracts";
import { completeClock, type GivenClock, nodeFiles, ownVersion } from "#core/machine";
import { ok, type Result, systemClock, systemRandom } from "#core/values";
import type { ThinkingApp } from "#runs";
import type { DefinedStrategy, StepStrategy } from "#work";
import { configFileName, findWorkspace } from "#workspace";
import { openLazily } from "../main/open-lazily.ts";
import type { Wiring } from "../main/open-runtime.ts";
import type { Brought, RuntimeOptions } from "../main/parts.ts";
import type { DefinedWorker } from "./define-worker.ts";
import { type Workspace, withRuns } from "./workspace.ts";

/** A clock and randomness are for simulations; every other program names the workspace and what it brings along. */
export interface OpenOptions
  extends Brought,
    Partial<Omit<RuntimeOptions, "root" | "version" | "clock" | "given" | "brought" | "strategies">> {
  /** By type of order, where `v2_features.multi_step_enabled`. */
  readonly strategies?: readonly DefinedStrategy[] | Readonly<Record<string, StepStrategy>>;
  /** Apps that its runs may name, beside those that ship. */
  readonly apps?: readonly ThinkingApp[];
  /** Who does the work that apps ask for, beside those that ship. */
  readonly workers?: readonly DefinedWorker[];
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
    strategies = [],
    apps = [],
    workers = [],
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
    strategies: byType(strategies),
    brought: { tools, hooks, providers },
  };
  // A program that hands its configuration in makes the changes of it.
  const asked =
    config === undefined ? env : { ...env, WRIT_TRUST: [env["WRIT_TRUST"], "own"].filter(Boolean).join(":") };
  const opened = await openLazily({ ...surroundings, env: asked, root: found.value, version: ownVersion() }, rewire);
  return opened.ok ? ok(withRuns(opened.value, { ...surroundings, env: asked, apps, workers })) : opened;
}

function byType(strategies: NonNullable<OpenOptions["strategies"]>): Readonly<Record<string, StepStrategy>> {
  const isList = (given: typeof strategies): given is readonly DefinedStrategy[] => Array.isArray(given);
  return isList(strategies) ? Object.fromEntries(strategies.map((each) => [each.type, each])) : strategies;
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
