import { accessSync, constants } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { ProgramSpec } from "#core/machine";
import { type DisposalStack, ok } from "#core/values";
import type { Environment } from "#workspace";
import { searchPath } from "../sandbox/root-view.ts";
import { createOrderLayers, type OrderLayers } from "../turns/layer/order-layers.ts";
import type { WorkspaceProgram, WorkspacePrograms } from "./layered-program.ts";
import type { ProgramsOptions } from "./programs-options.ts";
import type { ProgramRunner } from "./run-program.ts";
import { openSkillSnapshots, type SkillSnapshots } from "./skill-snapshots.ts";
import { openSnapshots } from "./snapshots.ts";

export interface ProgramParts {
  /** Runs what the configuration names, each from its snapshot and in its sandbox. */
  readonly programs: WorkspacePrograms;
  readonly layers: OrderLayers;
  readonly skillSnapshots: SkillSnapshots;
}

/** Admitting reads a program's files and starts nothing; the sandbox is loaded with the first start. */
export function openPrograms(options: ProgramsOptions, stack: DisposalStack): ProgramParts {
  const { root, random, env } = options;
  const layers = createOrderLayers(root);
  const snapshots = openSnapshots(root, random, options.onNotice);
  let runner: Promise<ProgramRunner> | undefined;
  const load = async () => (await import("./run-program.ts")).createProgramRunner({ ...options, layers, snapshots });
  stack.defer(async () => {
    await (await runner)?.close();
  });
  const admit = async (spec: ProgramSpec) => {
    const words = withOwnProgram(spec.words, env);
    const closure = snapshots.take(spec, words);
    if (!closure.ok) return closure;
    const admitted = { spec: { ...spec, words }, closure: closure.value };
    return ok<WorkspaceProgram>({
      closure: closure.value.digest,
      prepare: async () => (await (runner ??= load())).prepare(admitted),
      run: async (request) => (await (runner ??= load())).run(admitted, request),
      start: async (request) => (await (runner ??= load())).start(admitted, request),
    });
  };
  return { programs: { admit }, layers, skillSnapshots: openSkillSnapshots(root, random, snapshots) };
}

/** A program that the machine's own folders lack and the user's search path finds is named by its file, so that the sandbox shows it. */
function withOwnProgram(words: readonly string[], env: Environment): readonly string[] {
  const [program = "", ...rest] = words;
  if (program === "" || program.includes("/")) return words;
  const inFolders = (path: string) =>
    path
      .split(":")
      .filter((folder) => isAbsolute(folder))
      .map((folder) => join(folder, program))
      .find(isExecutable);
  const found = inFolders(searchPath) === undefined ? inFolders(env["PATH"] ?? "") : undefined;
  return found === undefined ? words : [found, ...rest];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // absent or not executable: the next folder is tried
  }
}
