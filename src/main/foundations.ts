import { userInfo } from "node:os";
import { loadRegistry, type SchemaRegistry } from "#core/contracts";
import type { Postgres } from "#core/database";
import { nodeFiles, nodeProcesses, packageRoot, rememberingFiles } from "#core/machine";
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
import { type WorkspaceSecrets, workspaceSecrets } from "#governance";
import type { PayloadRedactor } from "#log";
import type { SharedStore } from "#operate";
import { openShared } from "#operate";
import type { WritConfig } from "#workspace";
import { type Environment, loadConfig, requirePlanes, workspaceKey } from "#workspace";
import type { RuntimeOptions } from "./runtime.ts";

/** What every other part of a runtime stands on: configuration, contracts, secrets, the shared store. */
export interface Foundations {
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  readonly version: string;
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly ids: IdSource;
  readonly processes: Processes;
  /** Reads what governs: remembers what has not changed. */
  readonly law: Files;
  readonly secrets: WorkspaceSecrets;
  readonly redactor: PayloadRedactor;
  readonly redact: <T>(value: T) => T;
  /** What keyed hashes are keyed with. */
  readonly key: string;
  readonly store: SharedStore;
  /** The database of many machines, where the workspace is on one. Closed with the store. */
  readonly postgres: Postgres | undefined;
  /** Who acts when nobody else is named: the person at this machine. */
  readonly caller: string;
  readonly failpoint: Failpoint;
}

export async function layFoundations(options: RuntimeOptions): Promise<Result<Foundations>> {
  const { root, clock, random, env, version } = options;
  const config = await loadConfig(root, nodeFiles, env);
  if (!config.ok) return config;
  const planes = await requirePlanes(root);
  if (!planes.ok) return planes;
  const schemas = await loadRegistry({ files: nodeFiles, root });
  if (!schemas.ok) return schemas;
  const processes = nodeProcesses(clock);
  const secrets = await workspaceSecrets(config.value, { root, env, clock, processes });
  if (!secrets.ok) return secrets;
  const key = await workspaceKey(root, config.value);
  if (!key.ok) return key;
  const { store, workspace_budget: budget } = config.value;
  const shared = await openShared(store, {
    root,
    clock,
    random,
    secrets: secrets.value,
    recall: async () => {
      const { rebuildFromEvents } = await import("../operate/store/rebuild-from-events.ts"); // only who lost a store loads it
      return rebuildFromEvents({ root, clock, budget, key: key.value });
    },
    onNotice: options.onNotice,
  });
  if (!shared.ok) return shared;
  const { redactor } = secrets.value;
  return ok({
    root,
    clock,
    random,
    env,
    version,
    config: config.value,
    schemas: schemas.value,
    ids: createIds(clock, random),
    processes,
    law: rememberingFiles(clock, packageRoot),
    secrets: secrets.value,
    redactor,
    redact: (value) => redactor.redactJson(value).value,
    key: key.value,
    ...shared.value,
    caller: config.value.identity.local_caller ?? `${userInfo().username}@local`,
    failpoint: options.failpoint ?? noFailpoints,
  });
}
