import type { Command } from "commander";
import type { CliContext } from "./context.ts";

export interface CommandModule {
  /** Adds the command to the program. Nothing heavy is imported before its action runs. */
  readonly register: (program: Command, context: CliContext) => void;
}

interface CommandEntry {
  readonly name: string;
  /** The heading it stands under in `writ --help`. */
  readonly group: string;
  readonly load: () => Promise<CommandModule>;
}

const requests = "Requests:";
const servers = "Servers:";
const records = "Records:";
const workspace = "Workspace:";
const contracts = "Contracts:";

/** Every command, in the order of the help. Only the one that was asked for is loaded. */
export const commandTable: readonly CommandEntry[] = [
  { name: "run", group: requests, load: () => import("./commands/run.ts") },
  { name: "flow", group: requests, load: () => import("./commands/flow.ts") },
  { name: "workflow", group: requests, load: () => import("./commands/workflow.ts") },
  { name: "turn", group: requests, load: () => import("./commands/turn.ts") },
  { name: "eval", group: requests, load: () => import("./commands/eval.ts") },
  { name: "runs", group: requests, load: () => import("./commands/runs.ts") },
  { name: "conductor", group: requests, load: () => import("./commands/conductor.ts") },
  { name: "worker", group: requests, load: () => import("./commands/worker.ts") },
  { name: "halt", group: requests, load: () => import("./commands/halt.ts") },
  { name: "inbox", group: requests, load: () => import("./commands/inbox.ts") },
  { name: "up", group: servers, load: () => import("./commands/up.ts") },
  { name: "serve", group: servers, load: () => import("./commands/serve.ts") },
  { name: "mcp", group: servers, load: () => import("./commands/mcp.ts") },
  { name: "session", group: records, load: () => import("./commands/session.ts") },
  { name: "anchor", group: records, load: () => import("./commands/anchor.ts") },
  { name: "init", group: workspace, load: () => import("./commands/init.ts") },
  { name: "trust", group: workspace, load: () => import("./commands/trust.ts") },
  { name: "config", group: workspace, load: () => import("./commands/config.ts") },
  { name: "key", group: workspace, load: () => import("./commands/key.ts") },
  { name: "migrate", group: workspace, load: () => import("./commands/migrate.ts") },
  { name: "prune", group: workspace, load: () => import("./commands/prune.ts") },
  { name: "doctor", group: workspace, load: () => import("./commands/doctor.ts") },
  { name: "tool", group: contracts, load: () => import("./commands/tool.ts") },
  { name: "skill", group: contracts, load: () => import("./commands/skill.ts") },
  { name: "hook", group: contracts, load: () => import("./commands/hook.ts") },
  { name: "policy", group: contracts, load: () => import("./commands/policy.ts") },
  { name: "pkg", group: contracts, load: () => import("./commands/pkg.ts") },
  { name: "gate", group: contracts, load: () => import("./commands/gate.ts") },
  { name: "schema", group: contracts, load: () => import("./commands/schema.ts") },
];
