import type { MandateV1 } from "#core/contracts";
import type { Postgres } from "#core/database";
import { nodeFiles, type Programs, packageRoot } from "#core/machine";
import { type DisposalStack, ok, type Result } from "#core/values";
import type { EventLog } from "#log";
import type { WorkspaceParts } from "#workspace";
import { readSettings } from "./claude/settings/read-settings.ts";
import { frameworkReader } from "./frameworks/load-framework.ts";
import type { GateService } from "./gates/gate-service.ts";
import { createHooks, type Hooks } from "./hooks/create-hooks.ts";
import type { DefinedHook } from "./hooks/define-hook.ts";
import { type LateHookOrders, lateHookOrders } from "./hooks/hook-orders.ts";
import { workspaceHooks } from "./hooks/workspace-hooks.ts";
import type { SecretParts } from "./open-secrets.ts";
import { openPackages, type Packages } from "./packages/open-packages.ts";
import { type ContractStore, openContractStore } from "./pinned/contract-store.ts";
import { postgresContractBlobs } from "./pinned/store/postgres.ts";
import { type AgreedRules, agreedRules, type RulesWanted } from "./rules/agreed-rules.ts";
import { isTrustedWorkspace } from "./trust/is-trusted.ts";

export interface GovernanceParts {
  readonly packages: Packages;
  readonly gates: GateService;
  readonly hooks: Hooks;
  /** Takes what carries out the orders of hooks, once that is open. */
  readonly hookOrders: Pick<LateHookOrders, "bind">;
  readonly resolveFramework: ReturnType<typeof frameworkReader>;
  /** Whether this user made the workspace, or agreed to it as it is. */
  readonly isTrusted: () => Promise<boolean>;
  /** The rules for agents that this user agreed to, of those that may be read; null where there are none. */
  readonly houseRules: (wanted: RulesWanted) => Promise<Result<AgreedRules | null>>;
  /** What settings files of Claude Code say about calls, where the workspace reads them. */
  readonly claudePermissions: () => Promise<Result<MandateV1["settings"]>>;
  /** The bytes of every contract that a session began under. */
  readonly contractStore: ContractStore;
}

export interface GovernanceNeeds extends WorkspaceParts, SecretParts {
  readonly log: EventLog;
  readonly postgres: Postgres | undefined;
  readonly programs: Programs;
  /** Hooks of the program that opened the workspace; they are asked beside those of the workspace. */
  readonly brought?: { readonly hooks?: readonly DefinedHook[] };
}

export async function openGovernance(needs: GovernanceNeeds, stack: DisposalStack): Promise<Result<GovernanceParts>> {
  const { root, config, clock, random, schemas, redact, key, log, postgres, contractFiles, programs } = needs;
  const packages = await openPackages({ root, clock, random, config });
  if (!packages.ok) return packages;
  const hookOrders = lateHookOrders();
  const handlers = await workspaceHooks({
    root,
    env: needs.env,
    config,
    clock,
    schemas,
    redact,
    programs,
    log,
    orders: hookOrders,
    fill: needs.secrets.fill,
  });
  if (!handlers.ok) return handlers;
  stack.defer(() => handlers.value.close());
  const isTrusted = () => isTrustedWorkspace({ ...needs, files: nodeFiles });
  return ok({
    packages: packages.value,
    gates: packages.value.gates(log),
    hookOrders,
    hooks: createHooks({
      handlers: [...handlers.value.handlers, ...(needs.brought?.hooks ?? [])],
      schemas,
      clock,
      key,
      isOrdered: hookOrders.isOrdered,
    }),
    isTrusted,
    claudePermissions: async () => {
      if (!config.hooks.read_claude_settings) return ok(undefined);
      const read = await readSettings({ root, env: needs.env, files: nodeFiles, isTrusted: await isTrusted() });
      return read.ok ? ok(read.value.permissions) : read;
    },
    houseRules: (wanted) => agreedRules({ ...needs, files: nodeFiles }, wanted),
    resolveFramework: frameworkReader({ roots: [root, packageRoot], files: contractFiles, schemas }),
    contractStore: openContractStore(root, random, postgres && postgresContractBlobs(postgres)),
  });
}
