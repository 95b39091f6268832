import type { CommandEntry } from "../../surface/cli/run-command-line.ts";
import type { AnyCommand, Opened } from "../opened.ts";

/** What `writ --help` lists, in its order: it loads no command for that. A test holds each line against the command itself. */
const listed = {
  "Requests:": {
    "run [options] <prompt>": "carry out a request: Writ writes the work order, and one agent with tools does it",
    "chat [options]": "talk with an agent: every message is a request with an order, a budget and a proof of its own",
    flow: "work orders: the mandate under which an agent acts",
    workflow: "cycles that are written as Markdown: which there are, whether they are sound, and running them",
    turn: "programs that can only do what they declared",
    "eval [options] <suite>": "run a suite of cases through flows, grade the answers, compare with the last baseline",
    runs: "runs: many work items towards one objective, decided by an app",
    "conductor [options]":
      "ask apps when there is something new, and return expired leases to the queue, until it is stopped",
    "worker [options]": "take work, do it, hand back what it made, until it is stopped",
    "halt [options] [session]":
      "the kill switch: stop a session, or everything; running calls are cancelled within a second",
    inbox: "everything that waits for a person",
  },
  "Servers:": {
    "up [options]": "the API, the studio, a conductor and workers in one process, for this machine alone",
    "serve [options]":
      "the API and the studio for a team: everybody shows an API key; conductors and workers run beside it",
    gateway: "tokens for programs that only know the address of a model: change one environment variable",
    mcp: "Writ as an MCP server on stdin and stdout; `writ up` and `writ serve` have the same at /mcp",
  },
  "Records:": {
    session: "what happened: look at sessions, replay them, prove them, take them up again",
    anchor: "signed roots over all sessions, to keep where no process here can change them",
  },
  "Workspace:": {
    "init [dir]": "make a workspace; safe to run again",
    "trust [options]":
      "see what a workspace would run, reach, hand on, loosen and tell its agents here, and agree to it",
    config: "the configuration in force",
    key: "API keys for callers who are not at this machine",
    "migrate [options]":
      "move a workspace's sessions, budgets, runs and documents into PostgreSQL; begun again, it goes on",
    "prune [options]": "let go of what the shared store keeps of requests and orders that ended long ago",
    "doctor [options]": "what works on this machine, what does not, and how to mend it",
  },
  "Contracts:": {
    tool: "what agents can do, and how it is called",
    skill: "what agents here can do, written as Markdown",
    models: "what is known of models: windows, abilities, prices",
    hook: "the policies that are asked before and after everything",
    policy: "rules of cycles: which there are, and what others would have decided over the recorded past",
    framework: "frameworks: what agents may be, touch and spend, and what they are asked",
    pkg: "packages: contracts with an owner, a hash and a signature",
    gate: "the gates that must be open before anything acts",
    schema: "the contracts that everything is checked against",
  },
} as const;

type Listed = { readonly [Group in keyof typeof listed]: keyof (typeof listed)[Group] }[keyof typeof listed];
type Name = Listed extends infer Usage ? (Usage extends `${infer First} ${string}` ? First : Usage & string) : never;

/** Where each command is. Only the one that was asked for is loaded. */
const loads: { readonly [Each in Name]: () => Promise<AnyCommand> } = {
  run: async () => (await import("../../work/cli/run.ts")).run,
  chat: async () => (await import("../../work/cli/chat.ts")).chat,
  flow: async () => (await import("../../work/cli/flow.ts")).flow,
  workflow: async () => (await import("./groups/workflow.ts")).workflow,
  turn: async () => (await import("../../effects/cli/turn.ts")).turn,
  eval: async () => (await import("../../work/cli/eval.ts")).evaluate,
  runs: async () => (await import("../../runs/cli/runs.ts")).runs,
  conductor: async () => (await import("../../runs/cli/conductor.ts")).conductor,
  worker: async () => (await import("../../runs/cli/worker.ts")).worker,
  halt: async () => (await import("../../work/cli/halt.ts")).halt,
  inbox: async () => (await import("../../people/cli/inbox.ts")).inbox,
  up: async () => (await import("../../operate/cli/up.ts")).up,
  serve: async () => (await import("../../operate/cli/serve.ts")).serve,
  gateway: async () => (await import("../../work/cli/gateway.ts")).gateway,
  mcp: async () => (await import("../../surface/cli/mcp.ts")).mcp,
  session: async () => (await import("./groups/session.ts")).session,
  anchor: async () => (await import("./groups/anchor.ts")).anchor,
  init: async () => (await import("../../operate/cli/init.ts")).init,
  trust: async () => (await import("../../governance/cli/trust.ts")).trust,
  config: async () => (await import("../../workspace/cli/config.ts")).config,
  key: async () => (await import("../../people/cli/key.ts")).key,
  migrate: async () => (await import("../../operate/cli/migrate.ts")).migrate,
  prune: async () => (await import("../../operate/cli/prune.ts")).prune,
  doctor: async () => (await import("../../operate/cli/doctor.ts")).doctor,
  tool: async () => (await import("./groups/tool.ts")).tool,
  models: async () => (await import("../../agents/cli/models.ts")).models,
  skill: async () => (await import("../../agents/cli/skill.ts")).skill,
  hook: async () => (await import("../../governance/cli/hook.ts")).hook,
  policy: async () => (await import("../../workflows/cli/policy.ts")).policy,
  framework: async () => (await import("../../governance/cli/framework.ts")).framework,
  pkg: async () => (await import("../../governance/cli/pkg.ts")).pkg,
  gate: async () => (await import("../../governance/cli/gate.ts")).gate,
  schema: async () => (await import("../../core/contracts/cli/schema.ts")).schema,
};

const withRunsFile: ReadonlySet<Name> = new Set<Name>(["runs", "conductor", "worker", "up", "serve", "mcp"]);

export const commandTable: readonly CommandEntry<Opened>[] = Object.entries(listed).flatMap(([group, lines]) =>
  Object.entries(lines).map(([usage, summary]) => {
    const [name, ...terms] = usage.split(" ") as [Name, ...string[]]; // as `Name` is made
    return { name, group, terms: terms.join(" "), summary, hasRunsFile: withRunsFile.has(name), load: loads[name] };
  }),
);
