/** Construction and the tables. Nothing else. */
export { openLazily as openRuntime } from "./open-lazily.ts";
export { runCli } from "./start.ts";
