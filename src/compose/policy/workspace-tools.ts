import { type Clock, ok, type Result } from "#base";
import type { ReadingRule } from "#governance";
import type { SchemaRegistry } from "#schemas";
import { createToolRegistry, type RunTurn, registerBuiltins, type ToolRegistry, type WriteTurn } from "#tools";
import { nodeFiles } from "../adapters/node-files.ts";
import { nodeProcesses } from "../adapters/node-processes.ts";
import type { Environment } from "../config/load-config.ts";
import { packageRoot } from "../runtime/package-root.ts";

export interface ToolSurroundings {
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly env: Environment;
  /** `tools.allow` of the configuration: what is refused unless it stands here by name. */
  readonly allow: readonly string[];
  readonly whyUnreadable?: ReadingRule;
  /** Runs programs of `exec` as sandboxed turns. */
  readonly runTurn?: RunTurn;
  /** Writes files of `fs.write` as turns. */
  readonly writeTurn?: WriteTurn;
}

/** What a program outside a sandbox gets to see of the environment: enough to be found and to speak, no secrets. */
const passedOn = ["PATH", "LANG", "LC_ALL", "TZ"];

/** The tools of a workspace, wired. */
export function workspaceTools(surroundings: ToolSurroundings): Result<ToolRegistry> {
  const { schemas, clock, env, allow } = surroundings;
  const registry = createToolRegistry(schemas);
  const passed = passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const registered = registerBuiltins(registry, {
    schemas,
    env: Object.fromEntries(passed),
    handbook: { files: nodeFiles, root: packageRoot },
    ...(surroundings.whyUnreadable ? { whyUnreadable: surroundings.whyUnreadable } : {}),
    ...(surroundings.runTurn ? { runTurn: surroundings.runTurn } : {}),
    ...(surroundings.writeTurn ? { writeTurn: surroundings.writeTurn } : {}),
    ...(allow.includes("exec") ? { processes: nodeProcesses(clock) } : {}),
  });
  return registered.ok ? ok(registry) : registered;
}
