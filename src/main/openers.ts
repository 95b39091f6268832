import type { Opener, Openers } from "#core/commands";
import { err, ok } from "#core/values";
import type { Packages } from "#governance";
import { resolveSession } from "#log";
import { askingForTrust } from "../governance/cli/ask-for-trust.ts";
import {
  bindOpeners,
  opensInWorkspace,
  recordedWorkspace,
  recordedWorkspaceOrNone,
  workspace,
  workspaceOrNone,
} from "../surface/cli/open-parts.ts";
import type { Openable, Opened } from "./opened.ts";

const trusted = opensInWorkspace(askingForTrust);
const unasked = opensInWorkspace((_, open) => open(), recordedWorkspace);

const checkUp: Opener<Opened["check-up"]> = (invocation, work) =>
  recordedWorkspaceOrNone(invocation, async ({ root }) => {
    const { doctorChecks } = await import("./tables/checks.ts");
    return work({ root, checks: doctorChecks });
  });

const workflows: Opener<Opened["workflows"]> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openDefinitions } = await import("../workflows/definitions/open-definitions.ts");
    const opened = await openDefinitions(root);
    return opened.ok ? work(opened.value) : opened;
  });

const packages: Opener<Packages> = (invocation, work) =>
  workspace(invocation, async ({ root }) => {
    const { openTriedPackages } = await import("../operate/packages/open-tried-packages.ts");
    const opened = await openTriedPackages({ ...invocation.context, root });
    return opened.ok ? work(opened.value) : opened;
  });

const records = trusted(async (root, { context }) => {
  const { withPrograms } = await import("../effects/programs/with-programs.ts");
  return (await import("../governance/open-records.ts")).openRecords(root, context, withPrograms);
});

const proof = unasked(async (root, { context }) =>
  (await import("../governance/open-records.ts")).openProof(root, context),
);

const controls = unasked(async (root, { context }) => {
  const { approvalKinds } = await import("./tables/approvals.ts");
  return (await import("../operate/controls/open-controls.ts")).openControls({ ...context, root, approvalKinds });
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

const past = trusted(async (root, { context }) =>
  (await import("../workflows/backtest/open-backtest.ts")).openBacktest(root, context),
);

const runtime = trusted(async (root, { context: { clock, random, env, version, stderr } }) => {
  const { eventKinds, openRuntime } = await import("./open-runtime.ts");
  const onNotice = (line: string) => stderr.write(`writ: ${line}\n`);
  const opened = await openRuntime({ root, clock, random, env, version, onNotice });
  return opened.ok ? ok({ ...opened.value, eventKinds }) : opened;
});

const session: Opener<Opened["session"]> = (invocation, work) =>
  runtime(invocation, async (opened) => {
    const { root, log } = opened;
    const session_id = await resolveSession(invocation.arguments[0] ?? "last", { root, reader: log });
    return session_id.ok ? work({ session_id: session_id.value, runtime: opened }) : session_id;
  });

const kernelWhere = ({ existing }: { readonly existing: boolean }) =>
  trusted(async (root, { store, context: { clock, random, env, cwd, stderr } }) => {
    const { openKernel } = await import("../runs/open-kernel.ts");
    return openKernel({ root, store, existing, clock, random, env, cwd, stderr });
  });

const kernel = kernelWhere({ existing: false });

const pool: Opener<Opened["workerPool"]> = (invocation, work) =>
  runtime(invocation, (opened) =>
    kernel({ ...invocation, root: opened.root }, async (beside) => {
      const { redactObjectives } = await import("../runs/open-kernel.ts");
      return work({ ...beside, kernel: redactObjectives(beside.kernel, opened.redact), runtime: opened });
    }),
  );

const workerPool: Opener<Opened["workerPool"]> = (invocation, work) =>
  pool(invocation, async (opened) => (opened.runtime.behind ? err(opened.runtime.behind) : work(opened)));

const inbox: Opener<Opened["inbox"]> = (invocation, work) =>
  pool(invocation, async ({ runtime: { inbox: questions, decisions }, kernel: runs }) => {
    const { withBlockedWork } = await import("../runs/blocked-work/collect-blocked-work.ts");
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
  proof,
  controls,
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
  choice: (invocation, work) => work(bindOpeners(openable, invocation, askingForTrust)),
};
