import type { Clock, Result } from "#base";
import { type HookHandler, loadHooks, workerModules } from "#hooks";
import { shippedRegistry } from "#schemas";
import { nodeFiles } from "../adapters/node-files.ts";
import { nodeProcesses } from "../adapters/node-processes.ts";
import type { Environment } from "../config/load-config.ts";
import type { WritConfig } from "../config/writ-config.ts";
import { shippedFolder } from "./shipped-folder.ts";

export interface WorkspaceHooksOptions {
  readonly root: string;
  readonly config: WritConfig["hooks"];
  readonly env: Environment;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

export interface WorkspaceHooks {
  readonly handlers: readonly HookHandler[];
  /** Ends the threads that modules run on. */
  close(): Promise<void>;
}

/** The hooks in force in a workspace: those that Writ ships and those that writ.yaml names. Loading runs none of them. */
export async function workspaceHooks(options: WorkspaceHooksOptions): Promise<Result<WorkspaceHooks>> {
  const modules = workerModules(options.clock);
  const handlers = await loadHooks({
    config: options.config,
    root: options.root,
    files: nodeFiles,
    processes: nodeProcesses(options.clock),
    modules,
    schemas: shippedRegistry(),
    environment: options.env,
    shipped: { folder: shippedFolder("hooks"), importModule: (path) => import(path), redact: options.redact },
  });
  return handlers.ok ? { ok: true, value: { handlers: handlers.value, close: () => modules.close() } } : handlers;
}
