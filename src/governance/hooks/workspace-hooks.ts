import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SchemaRegistry } from "#core/contracts";
import { nodeFiles, type Programs, packageRoot } from "#core/machine";
import { type Clock, ok, type Result } from "#core/values";
import type { WritConfig } from "#workspace";
import { claudeHooks } from "./claude-hooks.ts";
import { type HookHandler } from "./hook-handler.ts";
import { hookModules } from "./hook-modules.ts";
import { loadHooks } from "./load-hooks.ts";

export interface WorkspaceHooksOptions {
  readonly root: string;
  readonly config: Pick<WritConfig, "hooks" | "limits">;
  readonly clock: Clock;
  readonly schemas: SchemaRegistry;
  readonly redact: (text: string) => string;
  /** Absent where hooks are only listed. */
  readonly programs?: Programs;
  readonly fill?: (text: string) => Promise<Result<string>>;
}

export interface WorkspaceHooks {
  readonly handlers: readonly HookHandler[];
  /** Ends the processes of modules. */
  close(): Promise<void>;
}

/** The hooks in force in a workspace: those that Writ ships and those that writ.yaml names. Loading runs none of them. */
export async function workspaceHooks(options: WorkspaceHooksOptions): Promise<Result<WorkspaceHooks>> {
  const { root, clock, schemas, redact, programs, fill } = options;
  const config = await withClaudeHooks(options);
  if (!config.ok) return config;
  const modules = hookModules(clock);
  const handlers = await loadHooks({
    config: config.value,
    timeoutSeconds: options.config.limits.hook_timeout_seconds,
    root,
    files: nodeFiles,
    ...(programs ? { programs } : {}),
    ...(fill ? { fill } : {}),
    modules,
    schemas,
    shipped: {
      folder: join(packageRoot, "hooks"),
      importModule: (path) => import(pathToFileURL(path).href),
      redact,
    },
  });
  return handlers.ok ? ok({ handlers: handlers.value, close: () => modules.close() }) : handlers;
}

async function withClaudeHooks({ root, config: { hooks: config } }: WorkspaceHooksOptions): Promise<Result<unknown>> {
  if (!config.read_claude_settings) return ok(config);
  const others = await claudeHooks(root, nodeFiles);
  if (!others.ok) return others;
  const merged: Record<string, unknown> = { ...config };
  for (const [point, groups] of Object.entries(others.value)) {
    const own = merged[point];
    merged[point] = Array.isArray(own) && Array.isArray(groups) ? [...own, ...groups] : groups;
  }
  return ok(merged);
}
