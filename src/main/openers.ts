import type { Answer, CommandNode, Invocation, Opener, Openers, Opens } from "#core/commands";
import type { SchemaRegistry } from "#core/contracts";
import type { DoctorCheck } from "#core/shapes";
import type { Result, SessionId } from "#core/values";
import type { Packages, Records } from "#governance";
import type { EventKinds, LogReader } from "#log";
import { resolveSession } from "#log";
import type { Decisions, Inbox } from "#people";
import type { OpenKernel } from "#runs";
import type { BacktestService, Workflows } from "#workflows";
import { askingForTrust } from "../governance/cli/ask-for-trust.ts";
import { workspaceOf } from "../surface/cli/workspace-of.ts";
import type { Runtime } from "./parts.ts";

/** For a command that renders events. */
interface Rendering {
  readonly eventKinds: EventKinds;
}

/** What is opened for each need that a command may name. */
export interface Opened {
  readonly nothing: object;
  /** The folder alone; nothing in it is opened. */
  readonly workspace: { readonly root: string };
  /** The folder where there is one; a folder that was named must be one. */
  readonly "workspace or none": { readonly root: string | undefined };
  /** The same with every check of the doctor. */
  readonly "check-up": { readonly root: string | undefined; readonly checks: readonly DoctorCheck[] };
  /** What it declares as cycles, read without opening its records. */
  readonly workflows: { readonly workflows: Workflows; readonly schemas: SchemaRegistry };
  readonly packages: Packages;
  /** What was recorded, for looking only. */
  readonly records: Records;
  /** The same with the session that the first argument names, `last` unless it does. */
  readonly "recorded session": { readonly session_id: SessionId; readonly records: Records } & Rendering;
  /** The past for judging it: nothing is called and nothing is recorded. */
  readonly past: { readonly root: string; readonly reader: LogReader; readonly desk: BacktestService };
  readonly runtime: Runtime & Rendering;
  /** The same with the session that the first argument names, `last` unless it does. */
  readonly session: { readonly session_id: SessionId; readonly runtime: Runtime & Rendering };
  /** A store that is not there is made. */
  readonly kernel: OpenKernel;
  /** A store that is not there is refused: a command that looks makes none. */
  readonly "existing kernel": OpenKernel;
  /** For a command that lets runs happen in this process. */
  readonly workerPool: OpenKernel & { readonly runtime: Runtime };
  /** Everything that waits for a person, the blocked work of runs included. */
  readonly inbox: { readonly inbox: Inbox; readonly decisions: Decisions };
  /** For a command whose options decide: it opens what it needs itself. */
  readonly choice: Choice;
}

type Openable = Exclude<keyof Opened, "nothing" | "choice">;

/** What a command may open by itself, and how a person is asked for trust before anything of a workspace starts. */
export type Choice = { readonly [Need in Openable]: Opens<Opened[Need]> } & {
  readonly askingForTrust: <T>(open: () => Promise<Result<T>>) => Promise<Result<T>>;
};

/** A command, or a group of commands, whose parts are all there. */
export type AnyCommand = CommandNode<Opened>;

const workspace: Opener<Opened["workspace"]> = async (invocation, work) => {
  const root = await workspaceOf(invocation);
  return root.ok ? work({ root: root.value }) : root;
};

const workspaceOrNone: Opener<Opened["workspace or none"]> = async (invocation, work) => {
  const root = await workspaceOf(invocation);
  if (root.ok) return work({ root: root.value });
  return invocation.root === undefined && root.error.code === "WORKSPACE_NOT_FOUND" ? work({ root: undefined }) : root;
};

const checkUp: Opener<Opened["check-up"]> = (invocation, work) =>
  workspaceOrNone(invocation, async ({ root }) => {
    const { doctorChecks } = await import("./tables/checks.ts");
    return work({ root, checks: doctorChecks });
  });

const workflows: Opener<Opened["workflows"]> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { workspaceWorkflows } = await import("../workflows/definitions/workspace-workflows.ts");
    const { nodeFiles } = await import("../core/machine/node-files.ts");
    const { loadRegistry } = await import("../core/contracts/workspace.ts");
    const schemas = await loadRegistry({ files: nodeFiles, root });
    return schemas.ok ? work({ workflows: workspaceWorkflows(root, schemas.value), schemas: schemas.value }) : schemas;
  });

const packages: Opener<Packages> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openWorkspacePackages } = await import("../governance/packages/open-packages.ts");
    const { clock, random, env } = invocation.context;
    const opened = await openWorkspacePackages({ root, clock, random, env });
    return opened.ok ? work(opened.value) : opened;
  });

const records: Opener<Records> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openRecords } = await import("../governance/open-records.ts");
    const { clock, random, env } = invocation.context;
    const opened = await askingForTrust(invocation, () => openRecords(root, { clock, random, env }));
    return opened.ok ? workAndClose(opened.value, work) : opened;
  });

const recordedSession: Opener<Opened["recorded session"]> = (invocation, work) =>
  records(invocation, async (opened) => {
    const session_id = await resolveSession(invocation.arguments[0] ?? "last", opened);
    if (!session_id.ok) return session_id;
    const { eventKinds } = await import("./tables/events.ts");
    return work({ session_id: session_id.value, records: opened, eventKinds });
  });

const past: Opener<Opened["past"]> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openBacktest } = await import("../workflows/backtest/open-backtest.ts");
    const opened = await askingForTrust(invocation, () => openBacktest(root, invocation.context));
    return opened.ok ? workAndClose(opened.value, work) : opened;
  });

const runtime: Opener<Opened["runtime"]> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openRuntime } = await import("./open-lazily.ts");
    const { eventKinds } = await import("./tables/events.ts");
    const { clock, random, env, version, stderr } = invocation.context;
    const onNotice = (line: string) => stderr.write(`writ: ${line}\n`);
    const opened = await askingForTrust(invocation, () => openRuntime({ root, clock, random, env, version, onNotice }));
    if (!opened.ok) return opened;
    try {
      return await work({ ...opened.value, eventKinds });
    } finally {
      const closed = await opened.value.close();
      if (!closed.ok) stderr.write(`writ: ${closed.error.message}\n`);
    }
  });

const session: Opener<Opened["session"]> = (invocation, work) =>
  runtime(invocation, async (opened) => {
    const { root, log } = opened;
    const session_id = await resolveSession(invocation.arguments[0] ?? "last", { root, reader: log });
    return session_id.ok ? work({ session_id: session_id.value, runtime: opened }) : session_id;
  });

function kernelWhere({ existing }: { readonly existing: boolean }): Opener<OpenKernel> {
  return (invocation, work) =>
    workspace(invocation, async ({ root }) => {
      const { openKernel } = await import("../runs/open-kernel.ts");
      const { clock, random, env } = invocation.context;
      const place = { root, store: invocation.store, existing, clock, random, env };
      const opened = await askingForTrust(invocation, () => openKernel(place));
      return opened.ok ? workAndClose(opened.value, work) : opened;
    });
}

const kernel = kernelWhere({ existing: false });

const workerPool: Opener<Opened["workerPool"]> = (invocation, work) =>
  runtime(invocation, (opened) =>
    kernel({ ...invocation, root: opened.root }, (beside) => work({ ...beside, runtime: opened })),
  );

const inbox: Opener<Opened["inbox"]> = (invocation, work) =>
  workerPool(invocation, async ({ runtime: { inbox: questions, decisions }, kernel: runs }) => {
    const { withBlockedWork } = await import("../runs/approvals/blocked-work.ts");
    return work({ inbox: questions, decisions: withBlockedWork(decisions, runs, questions) });
  });

async function workAndClose<Parts extends { close(): Promise<void> }>(
  opened: Parts,
  work: (parts: Parts) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

const openable: { readonly [Need in Openable]: Opener<Opened[Need]> } = {
  workspace,
  "workspace or none": workspaceOrNone,
  "check-up": checkUp,
  workflows,
  packages,
  records,
  "recorded session": recordedSession,
  past,
  runtime,
  session,
  kernel,
  "existing kernel": kernelWhere({ existing: true }),
  workerPool,
  inbox,
};

function choiceFor(invocation: Invocation<object>): Choice {
  const opens =
    <Need extends Openable>(need: Need): Opens<Opened[Need]> =>
    (work, at) =>
      openable[need](at ? { ...invocation, root: at.root } : invocation, work);
  return {
    workspace: opens("workspace"),
    "workspace or none": opens("workspace or none"),
    "check-up": opens("check-up"),
    workflows: opens("workflows"),
    packages: opens("packages"),
    records: opens("records"),
    "recorded session": opens("recorded session"),
    past: opens("past"),
    runtime: opens("runtime"),
    session: opens("session"),
    kernel: opens("kernel"),
    "existing kernel": opens("existing kernel"),
    workerPool: opens("workerPool"),
    inbox: opens("inbox"),
    askingForTrust: (open) => askingForTrust(invocation, open),
  };
}

export const openers: Openers<Opened> = {
  ...openable,
  nothing: (_, work) => work({}),
  choice: (invocation, work) => work(choiceFor(invocation)),
};
