/** Construction and the tables. Nothing else. */
export { openLazily as openRuntime } from "./open-workspace.ts";
export { runCli } from "./start.ts";
