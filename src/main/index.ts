/** Construction and the tables. Nothing else. */

export { rebuildSharedStore } from "#operate";
export { openRuntime } from "./open-lazily.ts";
export { runCli } from "./start.ts";
