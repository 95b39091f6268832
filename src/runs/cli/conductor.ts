import { type Command, daysMs, text, texts } from "#core/commands";
import { ok, type Result } from "#core/values";
import type { WorkspaceModules } from "../apps/workspace-modules.ts";
import type { Documents } from "../kernel/documents.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { RunTimes } from "../run-times.ts";
import type { keepingRunsAnchored } from "../runs-anchored.ts";
import type { ThinkingParts } from "../think.ts";
import { leaseMsOf, leaseOption } from "./lease.ts";

type Anchoring = Parameters<typeof keepingRunsAnchored>[0];

interface ConductorParts {
  readonly runtime: ThinkingParts & Pick<Anchoring, "root" | "config">;
  readonly kernel: Kernel;
  readonly documents: Documents;
  readonly postgres: Anchoring["postgres"];
  readonly times: RunTimes;
  readonly modules: () => Promise<WorkspaceModules>;
}

interface ConductorOptions {
  readonly app?: readonly string[];
  readonly lease?: string;
  readonly archiveAfter?: string;
  readonly id?: string;
}

export const conductor: Command<"workerPool", ConductorParts, ConductorOptions> = {
  name: "conductor",
  summary: "ask apps when there is something new, and return expired leases to the queue, until it is stopped",
  needs: "workerPool",
  json: null,
  arguments: [],
  options: {
    app: texts("name", "apps by name or by the path of a module (default: all that come with Writ)"),
    lease: leaseOption,
    archiveAfter: text(
      "days",
      "move runs that closed longer ago into documents (default: conductor.archive_after_days)",
    ),
    id: text("id", "its name in the history"),
  },
  examples: ["writ conductor --app writer ./my-app.js --store sqlite:kernel.db"],
  exits: null,
  run: async ({ runtime, kernel, documents, postgres, times, modules }, { options, context }) => {
    const { archivingOldRuns } = await import("../archiving-runs.ts");
    const { equipApp, findApps } = await import("../find-apps.ts");
    const { keepingRunsAnchored } = await import("../runs-anchored.ts");
    const found = await findApps(options.app, modules);
    if (!found.ok) return found;
    const apps = found.value.map((app) => equipApp(app, runtime));
    const leaseMs = leaseMsOf(options, times);
    if (!leaseMs.ok) return leaseMs;
    const closedForMs = retentionOf(options, times);
    if (!closedForMs.ok) return closedForMs;
    const { runConductor } = await import("../kernel/run-conductor.ts");
    const { clock, signal, stderr } = context;
    const conductor_id = options.id ?? kernel.ids.sortable("conductor");
    stderr.write(`${conductor_id} conducts ${apps.map((app) => app.app_id).join(", ")}\n`);
    const onProblem = (problem: { readonly message: string }) => stderr.write(`writ: ${problem.message}\n`);
    const common = { kernel, clock, signal, onProblem };
    const conduct = () =>
      runConductor({
        ...common,
        conductor_id,
        apps,
        documents,
        turnLeaseMs: leaseMs.value,
        heartbeatMs: times.heartbeatMs,
        pollMs: times.pollMs,
      });
    const anchoring = { ...common, postgres, root: runtime.root, config: runtime.config };
    const anchored = await keepingRunsAnchored(anchoring, () =>
      archivingOldRuns({ ...common, documents, closedForMs: closedForMs.value }, conduct),
    );
    return anchored.ok ? ok({}) : anchored;
  },
};

function retentionOf({ archiveAfter }: ConductorOptions, { closedForMs }: RunTimes): Result<number | undefined> {
  if (archiveAfter === undefined) return ok(closedForMs);
  return daysMs("--archive-after", archiveAfter, { least: 0 });
}
