/** From configuration to a wired runtime. The one room that knows every adapter; decides nothing itself. */
export { nodeFiles } from "./adapters/node-files.ts";
export { nodeProcesses } from "./adapters/node-processes.ts";
export { readBytes } from "./adapters/read-bytes.ts";
export { BlockedWork } from "./approvals/blocked-work.ts";
export type { BacktestDesk, Past } from "./backtest/backtest-desk.ts";
export type { Candidate } from "./backtest/candidate.ts";
export { openBacktest } from "./backtest/open-backtest.ts";
export { canaries } from "./canaries/canaries.ts";
export { proveShut, refuseStart } from "./canaries/prove-shut.ts";
export { type Environment, readConfig } from "./config/load-config.ts";
export { type ShownConfig, showConfig } from "./config/show-config.ts";
export type { EffectiveConfig, Origin, Profile, WritConfig } from "./config/writ-config.ts";
export { makeDemo } from "./demo/make-demo.ts";
export { playFirst, playRest } from "./demo/play-demo.ts";
export {
  type CheckedPart,
  checkUp,
  type DoctorCheck,
  type DoctorSurroundings,
  type Finding,
  type Health,
} from "./doctor/check-up.ts";
export { doctorChecks } from "./doctor/checks.ts";
export { checkProvider } from "./doctor/provider-lazily.ts";
export { tryProvider } from "./doctor/try-provider.ts";
export { evalDesk } from "./evals/eval-desk.ts";
export { archivingOldRuns } from "./kernel/archiving-runs.ts";
export { equipApp, findApp, findApps, requireApp } from "./kernel/find-apps.ts";
export { loadHandlers } from "./kernel/load-module.ts";
export { type KernelPlace, type OpenKernel, openKernel } from "./kernel/open-kernel.ts";
export { type CrewOptions, runCrew, workersOf } from "./kernel/run-crew.ts";
export { keepingRunsAnchored, type VerifiedRun, verifyRuns } from "./kernel/runs-anchored.ts";
export { sessionFactsOf } from "./kernel/session-facts.ts";
export { migrateWorkspace } from "./migrate/migrate-workspace.ts";
export { buildChain } from "./packages/build-chain.ts";
export { GateDesk } from "./packages/gate-desk.ts";
export { readPrivateKey, shippedHome, workspaceHome } from "./packages/homes.ts";
export { buildFromFolder, openPackages, openWorkspacePackages, type Packages } from "./packages/open-packages.ts";
export { type InstallOutcome, type ListedPackage, PackageDesk } from "./packages/package-desk.ts";
export type { PackageVerification } from "./packages/verify-packages.ts";
export type { ServerSurvey, SurveyedTool, ToolApprovals } from "./policy/tool-approvals.ts";
export { workspaceHooks } from "./policy/workspace-hooks.ts";
export { workspaceSkills } from "./policy/workspace-skills.ts";
export { type ToolSurroundings, workspaceTools } from "./policy/workspace-tools.ts";
export { workspaceWorkflows } from "./policy/workspace-workflows.ts";
export type { ForkControl, ForkWishes } from "./runtime/fork-session.ts";
export type { HaltControl } from "./runtime/halt-control.ts";
export type { KeyedOrders } from "./runtime/keyed-orders.ts";
export { openRuntime } from "./runtime/open-lazily.ts";
export { openRecords, type Records } from "./runtime/open-records.ts";
export { studioFolder } from "./runtime/package-root.ts";
export type { Resolution } from "./runtime/resolution.ts";
export type { Runtime, RuntimeOptions } from "./runtime/runtime.ts";
export type { SessionControl } from "./runtime/session-control.ts";
export type { CycleWishes } from "./runtime/write-cycle-order.ts";
export type { OrderWishes } from "./runtime/write-work-order.ts";
export type { ActSources } from "./trust/act-sources.ts";
export { giveTrust, withdrawTrust } from "./trust/give-trust.ts";
export { requireTrust } from "./trust/require-trust.ts";
export { type TrustState, trustOfWorkspace, type WorkspaceTrust } from "./trust/trust-of-workspace.ts";
export type { WorkspaceAct } from "./trust/workspace-act.ts";
export type { TurnDesk } from "./turns/turn-desk.ts";
export { findWorkspace } from "./workspace/find-workspace.ts";
export { type InitResult, initWorkspace } from "./workspace/init-workspace.ts";
export { recordRotation, rotateSigningKey } from "./workspace/rotate-signing-key.ts";
