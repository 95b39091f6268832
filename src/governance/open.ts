import type { Postgres } from "#core/database";
import { packageRoot } from "#core/machine";
import { type DisposalStack, ok, type Result } from "#core/values";
import type { EventLog } from "#log";
import type { WorkspaceParts } from "#workspace";
import { frameworkReader } from "./frameworks/load-framework.ts";
import type { GateService } from "./gates/gate-service.ts";
import { createHooks, type Hooks } from "./hooks/create-hooks.ts";
import { workspaceHooks } from "./hooks/workspace-hooks.ts";
import type { SecretParts } from "./open-secrets.ts";
import { openPackages, type Packages } from "./packages/open-packages.ts";
import { type ContractStore, openContractStore } from "./pinned/contract-store.ts";
import { postgresContractBlobs } from "./pinned/store/postgres.ts";

export interface GovernanceParts {
  readonly packages: Packages;
  readonly gates: GateService;
  readonly hooks: Hooks;
  readonly resolveFramework: ReturnType<typeof frameworkReader>;
  /** The bytes of every contract that a session began under. */
  readonly contractStore: ContractStore;
}

export async function openGovernance(
  needs: WorkspaceParts & SecretParts & { readonly log: EventLog; readonly postgres: Postgres | undefined },
  stack: DisposalStack,
): Promise<Result<GovernanceParts>> {
  const { root, config, env, clock, random, schemas, redact, key, log, postgres, contractFiles } = needs;
  const packages = await openPackages({ root, clock, random, config });
  if (!packages.ok) return packages;
  const handlers = await workspaceHooks({ root, config: config.hooks, env, clock, schemas, redact });
  if (!handlers.ok) return handlers;
  stack.defer(() => handlers.value.close());
  return ok({
    packages: packages.value,
    gates: packages.value.gates(log),
    hooks: createHooks({ handlers: handlers.value.handlers, schemas, clock, key }),
    resolveFramework: frameworkReader({ roots: [root, packageRoot], files: contractFiles, schemas }),
    contractStore: openContractStore(root, random, postgres && postgresContractBlobs(postgres)),
  });
}
