import { loadRegistry, type SchemaRegistry, type WritConfigV1 } from "#core/contracts";
import { accountName, nodeFiles, nodeProcesses, packageRoot, rememberingFiles } from "#core/machine";
import {
  type Clock,
  createIds,
  type Failpoint,
  type Files,
  type IdSource,
  noFailpoints,
  ok,
  type Processes,
  type Random,
  type Result,
} from "#core/values";
import { type Environment, loadConfig } from "./config/load-config.ts";
import { type BroughtProvider, withProviders } from "./config/with-providers.ts";
import type { WritConfig } from "./config/writ-config.ts";
import { requirePlanes } from "./require-planes.ts";

export interface WorkspaceOptions {
  /** The workspace, absolute. */
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  readonly version: string;
  /** Instead of what writ.yaml says: all of its keys, from the program that opens the workspace. */
  readonly given?: WritConfigV1 | undefined;
  /** What that program brings along. */
  readonly brought?: { readonly providers?: readonly BroughtProvider[] };
  /** Where a test lets the process die. */
  readonly failpoint?: Failpoint;
}

/** What every other part of a workspace stands on: the folder, its configuration and its contracts. */
export interface WorkspaceParts extends Required<Omit<WorkspaceOptions, "given" | "brought">> {
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly ids: IdSource;
  readonly processes: Processes;
  /** Reads contracts; remembers what has not changed. */
  readonly contractFiles: Files;
  /** The caller of a command that names none: the person at this machine. */
  readonly caller: string;
}

export async function openFolder(options: WorkspaceOptions): Promise<Result<WorkspaceParts>> {
  const { root, clock, random, env } = options;
  const config = await loadConfig(root, nodeFiles, env, options.given);
  if (!config.ok) return config;
  const completed = withProviders(config.value, options.brought?.providers ?? []);
  if (!completed.ok) return completed;
  const planes = await requirePlanes(root);
  if (!planes.ok) return planes;
  const schemas = await loadRegistry({ files: nodeFiles, root });
  if (!schemas.ok) return schemas;
  return ok({
    failpoint: noFailpoints,
    ...options,
    config: completed.value,
    schemas: schemas.value,
    ids: createIds(clock, random),
    processes: nodeProcesses(clock),
    contractFiles: rememberingFiles(clock, packageRoot),
    caller: completed.value.identity.local_caller ?? `${accountName()}@local`,
  });
}
