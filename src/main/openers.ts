import type { Opener, Openers } from "#core/commands";
import type { Packages, Records } from "#governance";
import { resolveSession } from "#log";
import type { OpenKernel } from "#runs";
import { askingForTrust } from "../governance/cli/ask-for-trust.ts";
import { bindOpeners, workAndClose, workspace, workspaceOrNone } from "../surface/cli/open-parts.ts";
import type { Openable, Opened } from "./opened.ts";

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
    const { openTriedPackages } = await import("../operate/packages/open-tried-packages.ts");
    const opened = await openTriedPackages({ ...invocation.context, root });
    return opened.ok ? work(opened.value) : opened;
  });

const records: Opener<Records> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openRecords } = await import("../governance/open-records.ts");
    return workAndClose(await askingForTrust(invocation, () => openRecords(root, invocation.context)), work);
  });

const recordedSession: Opener<Opened["recorded session"]> = (invocation, work) =>
  records(invocation, async (opened) => {
    const session_id = await resolveSession(invocation.arguments[0] ?? "last", opened);
    if (!session_id.ok) return session_id;
    const { eventKinds } = await import("./tables/events.ts");
    const pendingWrites = async () =>
      (await import("../effects/turns/layer/pending-writes.ts")).pendingWrites(opened.root, session_id.value);
    return work({ session_id: session_id.value, records: opened, eventKinds, pendingWrites });
  });

const past: Opener<Opened["past"]> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openBacktest } = await import("../workflows/backtest/open-backtest.ts");
    return workAndClose(await askingForTrust(invocation, () => openBacktest(root, invocation.context)), work);
  });

const runtime: Opener<Opened["runtime"]> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openRuntime } = await import("./open-runtime.ts");
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
      return workAndClose(opened, work);
    });
}

const kernel = kernelWhere({ existing: false });

const workerPool: Opener<Opened["workerPool"]> = (invocation, work) =>
  runtime(invocation, (opened) =>
    kernel({ ...invocation, root: opened.root }, (beside) => work({ ...beside, runtime: opened })),
  );

const inbox: Opener<Opened["inbox"]> = (invocation, work) =>
  workerPool(invocation, async ({ runtime: { inbox: questions, decisions }, kernel: runs }) => {
    const { withBlockedWork } = await import("../runs/approvals/collect-blocked-work.ts");
    return work({ inbox: questions, decisions: withBlockedWork(decisions, runs, questions) });
  });

const server: Opener<Opened["server"]> = (invocation, work) =>
  workerPool(invocation, (opened) => {
    const { clock, version } = invocation.context;
    const over = { runtime: opened.runtime, kernel: opened, clock, version };
    return work({
      ...opened,
      startServer: async (wanted) => (await import("./server/start-server.ts")).startServer({ ...over, ...wanted }),
      serveMcp: async (wanted) => (await import("./server/start-server.ts")).serveMcp({ ...over, ...wanted }),
    });
  });

const openable: Openers<Pick<Opened, Openable>> = {
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
  server,
};

export const openers: Openers<Opened> = {
  ...openable,
  nothing: (_, work) => work({}),
  choice: (invocation, work) =>
    work({
      ...bindOpeners(openable, invocation),
      askingForTrust: (open) => askingForTrust(invocation, open),
    }),
};
