/** Keeping a workspace healthy: init, doctor, canaries, migrate, prune, telemetry, demo. */
export { canaries } from "./canaries/canaries.ts";
export { proveShut, refuseStart } from "./canaries/prove-shut.ts";
export { type InitOptions, type InitResult, initWorkspace } from "./init/init-workspace.ts";
export { postgresPrune } from "./prune/postgres.ts";
export type { PruneStore } from "./prune/prune-store.ts";
export { sqlitePrune } from "./prune/sqlite.ts";
export { openShared } from "./store/open-shared.ts";
export { rebuildSharedStore } from "./store/rebuild-shared-store.ts";
export type { SharedStore } from "./store/shared-store.ts";
export { openTelemetry } from "./telemetry/open-telemetry.ts";
