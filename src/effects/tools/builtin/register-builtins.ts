import type { SchemaRegistry } from "#core/contracts";
import { type Files, ok, type Processes, type Result } from "#core/values";
import { whyUnreadable as anywhere, type ReadPolicy } from "#governance";
import { type AgentPorts, latePorts } from "../agent-ports.ts";
import type { ToolRegistry } from "../registry.ts";
import { ask } from "./ask.ts";
import type { BuiltinName, BuiltinSpec, ViewOf } from "./builtin-spec.ts";
import { delegate } from "./delegate.ts";
import { echo } from "./echo.ts";
import { exec, type RunTurn } from "./exec.ts";
import { fsEdit } from "./fs-edit.ts";
import { fsList } from "./fs-list.ts";
import { fsRead } from "./fs-read.ts";
import { fsSearch } from "./fs-search.ts";
import { fsWrite, type WriteTurn } from "./fs-write.ts";
import { type KeepSkill, skillLoad } from "./skill-load.ts";
import { sourcesSearch } from "./sources/sources-search.ts";
import { todo } from "./todo.ts";

export interface BuiltinOptions {
  readonly schemas: SchemaRegistry;
  /** What no tool reads; where nothing is said, what holds in every workspace. */
  readonly whyUnreadable?: ReadPolicy;
  /** Hand it in only where the profile allows `exec` by name: what it runs, runs without a sandbox. */
  readonly processes?: Processes;
  /** Runs programs of `exec` as sandboxed turns. */
  readonly runTurn?: RunTurn;
  /** The whole environment of programs that `exec` runs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Writes files of `fs.write` as turns. */
  readonly writeTurn?: WriteTurn;
  /** The workspace as a session sees it, with what its order has written. */
  readonly viewOf?: ViewOf;
  /** What tools need of the places above. */
  readonly ports?: AgentPorts;
  readonly keepSkill?: KeepSkill;
  /** What ships with Writ to be read and cited, and where it lies. */
  readonly handbook?: { readonly files: Files; readonly root: string };
}

/** Registers the tools that Writ ships. */
export function registerBuiltins(registry: ToolRegistry, options: BuiltinOptions): Result<void> {
  const { schemas, processes, env = {}, whyUnreadable = anywhere, viewOf } = options;
  // Typed by the contracts: one that has no tool does not compile. Tools are listed in this order.
  const builtins: { readonly [Name in BuiltinName]: BuiltinSpec<Name> } = {
    echo,
    "fs.read": fsRead(whyUnreadable, viewOf, options.ports),
    "fs.list": fsList(whyUnreadable, viewOf),
    "fs.search": fsSearch(whyUnreadable, viewOf),
    "fs.edit": fsEdit({ whyUnreadable, viewOf, writeTurn: options.writeTurn }),
    "fs.write": fsWrite({ schemas, writeTurn: options.writeTurn }),
    exec: exec({ runTurn: options.runTurn, processes, env }),
    "skill.load": skillLoad({ ports: options.ports ?? latePorts().ports, keepSkill: options.keepSkill }),
    todo,
    ask,
    delegate: delegate(options.ports ?? latePorts().ports),
    "sources.search": sourcesSearch(options.handbook, whyUnreadable, viewOf),
  };
  for (const spec of Object.values(builtins)) {
    const schemaIn = schemas.schema(`${spec.name}.args_v1`);
    if (!schemaIn.ok) return schemaIn;
    const schemaOut = schemas.schema(`${spec.name}.result_v1`);
    if (!schemaOut.ok) return schemaOut;
    const registered = registry.register({
      ...spec,
      schema_in: schemaIn.value,
      schema_out: schemaOut.value,
      origin: "builtin",
    });
    if (!registered.ok) return registered;
  }
  return ok(undefined);
}
