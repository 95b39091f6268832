/** Construction and the tables. Nothing else. */

export { rebuildSharedStore } from "#operate";
export { runCli } from "./cli/main.ts";
export { openRuntime } from "./open-lazily.ts";
