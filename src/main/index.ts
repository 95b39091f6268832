/** Construction and the tables. Nothing else. */
export { runCli } from "./cli/main.ts";
export { openRuntime } from "./open-lazily.ts";
export { openPostgresSharedStore } from "./store/postgres-shared-store.ts";
export { rebuildSharedStore } from "./store/rebuild-shared-store.ts";
