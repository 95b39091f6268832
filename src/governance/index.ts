/** What is allowed: frameworks, paths, packages, gates, hooks, trust, pinned contracts. L6 of the design. Runs no tool and calls no model. */
export { trustSourcesOf } from "./cli/trust-sources-of.ts";
export type { Framework } from "./frameworks/framework.ts";
export { frameworkReader } from "./frameworks/load-framework.ts";
export { matchContract } from "./frameworks/match-contract.ts";
export { renderContract } from "./frameworks/render-contract.ts";
export { fileGates } from "./gates/gate.ts";
export { GateService } from "./gates/gate-service.ts";
export { askAgain, type RecordedFiring } from "./hooks/ask-again.ts";
export { createHooks, type FireContext, type Hooks } from "./hooks/create-hooks.ts";
export type { HookAbout, HookHandler, HookOutcome } from "./hooks/hook-handler.ts";
export type { HookPoint } from "./hooks/hook-point.ts";
export { hookPoints, pointSpecs } from "./hooks/hook-points.ts";
export type { HookModule } from "./hooks/module-hook.ts";
export { workspaceHooks } from "./hooks/workspace-hooks.ts";
export { type GovernanceParts, openGovernance } from "./open.ts";
export type { Records } from "./open-records.ts";
export { openRecords } from "./open-records.ts";
export { openSecrets, type SecretParts } from "./open-secrets.ts";
export { buildChain } from "./packages/build-chain.ts";
export { openPackages, type Packages } from "./packages/open-packages.ts";
export { PackageInstaller } from "./packages/package-installer.ts";
export type { LoadTrial } from "./packages/trial.ts";
export { filesOfConfig } from "./paths/files-of-config.ts";
export { type NamedFiles, noNamedFiles } from "./paths/named-files.ts";
export { matchesPath, whyNotNamed } from "./paths/path-patterns.ts";
export {
  mayBeUnreadable,
  type ReadPolicy,
  whyProtected,
  whyUnreadable,
} from "./paths/protected-paths.ts";
export { readPolicy } from "./paths/read-policy.ts";
export type { Grant } from "./paths/rights.ts";
export { isPlainName, workspacePath } from "./paths/workspace-path.ts";
export { changedContracts, contractsChanged } from "./pinned/changed-contracts.ts";
export {
  type ContractRoots,
  keepManifest,
  manifestPin,
  pathOf,
  placeOf,
  readManifest,
} from "./pinned/contract-manifest.ts";
export { type ContractStore, openContractStore } from "./pinned/contract-store.ts";
export { pinnedFiles } from "./pinned/pinned-files.ts";
export { postgresContractBlobs } from "./pinned/store/postgres.ts";
export { isOwnWorkspace, rememberOwnWorkspace } from "./trust/trust-place.ts";
export { type WorkspaceSecrets, workspaceSecrets } from "./trust/workspace-secrets.ts";
