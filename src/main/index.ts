/** Construction and the tables. Nothing else. */

export { openRuntime } from "./open-lazily.ts";
export { runCli } from "./start.ts";
