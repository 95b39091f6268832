import type { AnyCommand } from "../cli/openers.ts";

/** What the list of all commands shows of one, and where the rest of it is. A test holds it against the command itself. */
export interface CommandEntry {
  readonly name: string;
  /** The heading it stands under in `writ --help`. */
  readonly group: string;
  /** What stands behind its name there. */
  readonly terms: string;
  readonly summary: string;
  readonly load: () => Promise<AnyCommand>;
}

const requests = "Requests:";
const servers = "Servers:";
const records = "Records:";
const workspace = "Workspace:";
const contracts = "Contracts:";

/** Every command, in the order of the help. Only the one that was asked for is loaded; `writ --help` loads none. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: "run",
    group: requests,
    terms: "[options] <prompt>",
    summary: "carry out a request: Writ writes the work order and takes it through lead, planner, worker and reviewer",
    load: async () => (await import("../../work/cli/run.ts")).run,
  },
  {
    name: "flow",
    group: requests,
    terms: "",
    summary: "work orders: the mandate under which an agent acts",
    load: async () => (await import("../../work/cli/flow.ts")).flow,
  },
  {
    name: "workflow",
    group: requests,
    terms: "",
    summary: "cycles that are written as Markdown: which there are, whether they are sound, and running them",
    load: async () => (await import("../cli/workflow.ts")).workflow,
  },
  {
    name: "turn",
    group: requests,
    terms: "",
    summary: "programs that can only do what they declared",
    load: async () => (await import("../../effects/cli/turn.ts")).turn,
  },
  {
    name: "eval",
    group: requests,
    terms: "[options] <suite>",
    summary: "run a suite of cases through flows, grade the answers, compare with the last baseline",
    load: async () => (await import("../../work/cli/eval.ts")).evaluate,
  },
  {
    name: "runs",
    group: requests,
    terms: "",
    summary: "runs: many work items towards one objective, decided by an app",
    load: async () => (await import("../cli/runs.ts")).runs,
  },
  {
    name: "conductor",
    group: requests,
    terms: "[options]",
    summary: "ask apps when there is something new, and return expired leases to the queue, until told to end",
    load: async () => (await import("../../runs/cli/conductor.ts")).conductor,
  },
  {
    name: "worker",
    group: requests,
    terms: "[options]",
    summary: "take work, do it, hand back what it made, until told to end",
    load: async () => (await import("../../runs/cli/worker.ts")).worker,
  },
  {
    name: "halt",
    group: requests,
    terms: "[options] [session]",
    summary: "the kill switch: stop a session, or everything; running calls are cancelled within a second",
    load: async () => (await import("../../work/cli/halt.ts")).halt,
  },
  {
    name: "inbox",
    group: requests,
    terms: "",
    summary: "everything that waits for a person",
    load: async () => (await import("../../people/cli/inbox.ts")).inbox,
  },
  {
    name: "up",
    group: servers,
    terms: "[options]",
    summary: "the API, the studio, a conductor and workers in one process, for this machine alone",
    load: async () => (await import("../cli/up.ts")).up,
  },
  {
    name: "serve",
    group: servers,
    terms: "[options]",
    summary: "the API and the studio for a team: everybody shows an API key; conductors and workers run beside it",
    load: async () => (await import("../cli/serve.ts")).serve,
  },
  {
    name: "mcp",
    group: servers,
    terms: "",
    summary: "Writ as an MCP server on stdin and stdout; `writ up` and `writ serve` have the same at /mcp",
    load: async () => (await import("../cli/mcp.ts")).mcp,
  },
  {
    name: "session",
    group: records,
    terms: "",
    summary: "what happened: look at sessions, replay them, prove them, take them up again",
    load: async () => (await import("../cli/session.ts")).session,
  },
  {
    name: "anchor",
    group: records,
    terms: "",
    summary: "signed roots over all sessions, to keep where nobody here can change them",
    load: async () => (await import("../cli/anchor.ts")).anchor,
  },
  {
    name: "init",
    group: workspace,
    terms: "[dir]",
    summary: "make a workspace; safe to run again",
    load: async () => (await import("../../operate/cli/init.ts")).init,
  },
  {
    name: "trust",
    group: workspace,
    terms: "[options]",
    summary: "see what a workspace from elsewhere would run, reach and loosen here, and agree to it",
    load: async () => (await import("../../governance/cli/trust.ts")).trust,
  },
  {
    name: "config",
    group: workspace,
    terms: "",
    summary: "the configuration in force",
    load: async () => (await import("../../workspace/cli/config.ts")).config,
  },
  {
    name: "key",
    group: workspace,
    terms: "",
    summary: "API keys for callers who are not at this machine",
    load: async () => (await import("../../people/cli/key.ts")).key,
  },
  {
    name: "migrate",
    group: workspace,
    terms: "[options]",
    summary: "move a workspace's sessions, budgets, runs and documents into PostgreSQL; begun again, it goes on",
    load: async () => (await import("../../operate/cli/migrate.ts")).migrate,
  },
  {
    name: "prune",
    group: workspace,
    terms: "[options]",
    summary: "let go of what the shared store keeps of requests and orders that ended long ago",
    load: async () => (await import("../../operate/cli/prune.ts")).prune,
  },
  {
    name: "doctor",
    group: workspace,
    terms: "[options]",
    summary: "what works on this machine, what does not, and how to mend it",
    load: async () => (await import("../../operate/cli/doctor.ts")).doctor,
  },
  {
    name: "tool",
    group: contracts,
    terms: "",
    summary: "what agents can do, and how it is called",
    load: async () => (await import("../cli/tool.ts")).tool,
  },
  {
    name: "skill",
    group: contracts,
    terms: "",
    summary: "what agents here can do, written as Markdown",
    load: async () => (await import("../../agents/cli/skill.ts")).skill,
  },
  {
    name: "hook",
    group: contracts,
    terms: "",
    summary: "the policies that are asked before and after everything",
    load: async () => (await import("../../governance/cli/hook.ts")).hook,
  },
  {
    name: "policy",
    group: contracts,
    terms: "",
    summary: "rules of cycles: which there are, and what others would have decided over the recorded past",
    load: async () => (await import("../cli/policy.ts")).policy,
  },
  {
    name: "pkg",
    group: contracts,
    terms: "",
    summary: "packages: contracts with an owner, a hash and a signature",
    load: async () => (await import("../../governance/cli/pkg.ts")).pkg,
  },
  {
    name: "gate",
    group: contracts,
    terms: "",
    summary: "the gates that must be open before anything acts",
    load: async () => (await import("../../governance/cli/gate.ts")).gate,
  },
  {
    name: "schema",
    group: contracts,
    terms: "",
    summary: "the contracts that everything is checked against",
    load: async () => (await import("../../core/contracts/cli/schema.ts")).schema,
  },
];
