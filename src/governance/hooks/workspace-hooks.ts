import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SchemaRegistry } from "#core/contracts";
import { nodeFiles, type Programs, packageRoot } from "#core/machine";
import { type Clock, ok, type Result } from "#core/values";
import type { LogReader } from "#log";
import type { Environment, WritConfig } from "#workspace";
import { readSettings } from "../claude/settings/read-settings.ts";
import type { SettingsNote } from "../claude/settings/settings-document.ts";
import { transcriptOf } from "../claude/transcript.ts";
import { postJson } from "./adapters/post-json.ts";
import { backgroundPrograms } from "./background.ts";
import { type HookHandler } from "./hook-handler.ts";
import { hookModules } from "./hook-modules.ts";
import type { HookOrders } from "./hook-orders.ts";
import { startedSkills } from "./is-within.ts";
import { loadHooks } from "./load-hooks.ts";

export interface WorkspaceHooksOptions {
  readonly root: string;
  readonly env: Environment;
  readonly config: Pick<WritConfig, "hooks" | "limits">;
  readonly clock: Clock;
  readonly schemas: SchemaRegistry;
  readonly redact: (text: string) => string;
  /** Absent where hooks are only listed. */
  readonly programs?: Programs;
  readonly fill?: (text: string) => Promise<Result<string>>;
  readonly orders?: HookOrders;
  /** Absent where no hook is asked about a session. */
  readonly log?: Pick<LogReader, "read">;
}

export interface WorkspaceHooks {
  readonly handlers: readonly HookHandler[];
  /** What settings files of Claude Code hold that is not taken, or is taken differently. */
  readonly notes: readonly SettingsNote[];
  /** Ends the processes of modules. */
  close(): Promise<void>;
}

/** The hooks in force in a workspace: those that Writ ships and those that writ.yaml names. Loading runs none of them. */
export async function workspaceHooks(options: WorkspaceHooksOptions): Promise<Result<WorkspaceHooks>> {
  const { root, env, clock, schemas, redact, programs, fill, log, orders } = options;
  const config = options.config.hooks;
  // Where a workspace is not trusted no hook runs, so their mode is that of one that is.
  const settings = config.read_claude_settings
    ? await readSettings({ root, env, files: nodeFiles, isTrusted: true })
    : ok(undefined);
  if (!settings.ok) return settings;
  const modules = hookModules(clock);
  const background = backgroundPrograms();
  const { hooks = [], notes = [], permissions } = settings.value ?? {};
  const handlers = await loadHooks({
    config,
    settings: hooks,
    ...(permissions?.mode ? { permissionMode: permissions.mode.value } : {}),
    ...(log
      ? { transcriptOf: (session_id: string) => transcriptOf(session_id, root, log), hasStarted: startedSkills(log) }
      : {}),
    background,
    timeoutSeconds: options.config.limits.hook_timeout_seconds,
    root,
    files: nodeFiles,
    ...(programs ? { programs, post: postJson } : {}),
    ...(orders ? { orders } : {}),
    env,
    ...(fill ? { fill } : {}),
    modules,
    schemas,
    shipped: {
      folder: join(packageRoot, "hooks"),
      importModule: (path) => import(pathToFileURL(path).href),
      redact,
    },
  });
  if (!handlers.ok) return handlers;
  const close = async () => {
    await Promise.all([modules.close(), background.close()]);
  };
  return ok({ handlers: handlers.value, notes, close });
}
