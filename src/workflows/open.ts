import { type Programs, packageRoot } from "#core/machine";
import { ok, type Result } from "#core/values";
import type { EffectsParts } from "#effects";
import type { GovernanceParts, SecretParts } from "#governance";
import type { EventLog } from "#log";
import type { WorkspaceParts } from "#workspace";
import { annotationsOf, natureIn } from "./backtest/annotations-of.ts";
import { type BacktestService, backtestService } from "./backtest/backtest-service.ts";
import type { Workflows } from "./definitions/registry.ts";
import { pinnedWorkflows, workspaceWorkflows } from "./definitions/workspace-workflows.ts";

export interface WorkflowsParts {
  readonly workflows: Workflows;
  /** As they were under the contracts that a session began with, from their kept bytes. */
  workflowsUnder(manifest: string): Promise<Result<Pick<Workflows, "registry">>>;
  /** Rules judged over recorded sessions. */
  readonly backtest: BacktestService;
}

export async function openWorkflows(
  needs: WorkspaceParts &
    SecretParts &
    Pick<GovernanceParts, "contractStore"> &
    Pick<EffectsParts, "tools"> & { readonly log: EventLog; readonly programs: Programs },
): Promise<Result<WorkflowsParts>> {
  const { root, schemas, contractFiles, contractStore, tools, redact } = needs;
  const workflows = workspaceWorkflows(root, schemas, contractFiles);
  return ok({
    workflows,
    workflowsUnder: (manifest) => pinnedWorkflows(manifest, { root, shipped: packageRoot, schemas, contractStore }),
    backtest: backtestService({
      ...needs,
      reader: needs.log,
      contractStore,
      workflows,
      redact: (text) => redact(text),
      annotationsOf: (name) => annotationsOf(tools, name),
      natureOf: (name, args) => natureIn(tools, name, args),
    }),
  });
}
