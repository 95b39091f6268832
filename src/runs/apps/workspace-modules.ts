import { stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { domainError } from "#core/errors";
import { type ModuleSpec, moduleProcess, programOfModule, readingFailure } from "#core/machine";
import { type Clock, type DisposalStack, err, ok, type Random, type Result } from "#core/values";
import { openPrograms } from "#effects";
import { workspaceSecrets } from "#governance";
import { type Environment, secretEnvironment, type WritConfig } from "#workspace";
import { loadApp, loadHandlers, type ModuleHandlers } from "./load-module.ts";
import type { StartedModule } from "./started-module.ts";
import type { LoadedApp } from "./thinking-app.ts";

/** The apps and workers that are modules: each runs in a process of its own, in the sandbox. */
export interface WorkspaceModules {
  /** A module whose `app` is `{ app_id, turn }`, by its path from the current folder. */
  loadApp(file: string): Promise<Result<LoadedApp>>;
  /** A module whose `handlers` has a function for each capability. */
  loadHandlers(file: string): Promise<Result<ModuleHandlers>>;
}

export interface ModulesOptions {
  readonly root: string;
  readonly cwd: string;
  readonly config: WritConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  readonly onNotice?: ((line: string) => void) | undefined;
  /** Gets what modules print, without secrets. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/** An answer may hold patches with whole files. */
const longestAnswer = 32 * 1024 * 1024;

/** Loading a module asks for trust as everything does that starts a program of the workspace. */
export function openModules(options: ModulesOptions, stack: DisposalStack): WorkspaceModules {
  const { root, cwd, config, clock, env, onNotice, onOutput } = options;
  const { programs } = openPrograms(options, stack);
  let secrets: ReturnType<typeof workspaceSecrets> | undefined;

  const start = async (file: string): Promise<Result<StartedModule>> => {
    const path = isAbsolute(file) ? resolve(file) : resolve(cwd, file);
    const found = await whatIsAt(path);
    if (!found.ok) return found;
    const module = moduleOf(path, options);
    if (!module.ok) return module;
    const known = await (secrets ??= workspaceSecrets(config, { root, env, clock, programs, onNotice }));
    if (!known.ok) return known;
    const program = await programs.admit(programOfModule(module.value));
    if (!program.ok) return program;
    const { redactor, fill } = known.value;
    const process = moduleProcess({
      module: module.value,
      program: program.value,
      clock,
      secrets: () => secretEnvironment(module.value.rights, fill),
      longestAnswer,
      ...(onOutput ? { onOutput: (text) => onOutput(redactor.redactText(text).text) } : {}),
    });
    stack.defer(() => process.close());
    return ok({ module: module.value, process, clock });
  };

  return {
    async loadApp(file) {
      const started = await start(file);
      return started.ok ? loadApp(started.value) : started;
    },
    async loadHandlers(file) {
      const started = await start(file);
      return started.ok ? loadHandlers(started.value) : started;
    },
  };
}

/** With the rights that `modules` of writ.yaml gives it. */
function moduleOf(path: string, { root, config }: Pick<ModulesOptions, "root" | "config">): Result<ModuleSpec> {
  const name = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const where = `modules[${JSON.stringify(name)}]`;
  const entry = Object.entries(config.modules).find(([key]) => resolve(root, key) === path)?.[1];
  const rights = entry?.rights ?? {};
  const inside = (each: string) => `${resolve(root, each)}/`.startsWith(`${root}/`);
  const wide = (rights.write ?? []).find(inside);
  if (wide === undefined) return ok({ where, path, rights });
  return err(
    domainError(
      "CONFIG_INVALID",
      `${where}: rights.write names ${JSON.stringify(wide)}, and a module writes nothing in the workspace: it answers with patches`,
      { details: { where, hint: "take the line out, or name a folder beside the workspace: ../outbox/" } },
    ),
  );
}

async function whatIsAt(path: string): Promise<Result<void>> {
  try {
    if ((await stat(path)).isFile()) return ok(undefined);
    return err(domainError("MALFORMED_INPUT", `${path} is no file`, { details: { where: path, hint: remedy } }));
  } catch (thrown) {
    return readingFailure(path, thrown, remedy);
  }
}

const remedy = "name the module itself, with its ending: ./my-module.mjs, .js or .ts";
