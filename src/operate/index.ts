/** Keeping a workspace healthy: init, doctor, canaries, migrate, prune, telemetry, demo. */
export type { ControlParts } from "./controls/open-controls.ts";
export { type InitOptions, type InitResult, initWorkspace } from "./init/init-workspace.ts";
export { openStore, type StoreOptions, type StoreParts } from "./store/open-store.ts";
export { openPostgresSharedStore } from "./store/postgres-shared-store.ts";
export { rebuildSharedStore } from "./store/rebuild-shared-store.ts";
export { openTelemetry, type TelemetryParts } from "./telemetry/open-telemetry.ts";
