import type { SchemaRegistry } from "#core/contracts";
import { nodeFiles, nodeProcesses, packageRoot } from "#core/machine";
import { type Clock, ok, type Result } from "#core/values";
import type { ReadPolicy } from "#governance";
import type { Environment } from "#workspace";
import type { AgentPorts } from "./agent-ports.ts";
import type { ViewOf } from "./builtin/builtin-spec.ts";
import { type RunTurn } from "./builtin/exec.ts";
import { type WriteTurn } from "./builtin/fs-write.ts";
import { registerBuiltins } from "./builtin/register-builtins.ts";
import type { KeepSkill } from "./builtin/skill-load.ts";
import { createToolRegistry, type ToolRegistry } from "./registry.ts";

export interface ToolSurroundings {
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly env: Environment;
  /** `tools.allow` of the configuration: what is refused unless it stands here by name. */
  readonly allow: readonly string[];
  readonly whyUnreadable?: ReadPolicy;
  /** Runs programs of `exec` as sandboxed turns. */
  readonly runTurn?: RunTurn;
  /** Writes files of `fs.write` as turns. */
  readonly writeTurn?: WriteTurn;
  /** The workspace as a session sees it. */
  readonly viewOf?: ViewOf;
  /** What tools need of the places above. */
  readonly ports?: AgentPorts;
  readonly keepSkill?: KeepSkill;
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
    ...(surroundings.keepSkill ? { keepSkill: surroundings.keepSkill } : {}),
    ...(surroundings.ports ? { ports: surroundings.ports } : {}),
    ...(surroundings.viewOf ? { viewOf: surroundings.viewOf } : {}),
    ...(allow.includes("exec") ? { processes: nodeProcesses(clock) } : {}),
  });
  return registered.ok ? ok(registry) : registered;
}
