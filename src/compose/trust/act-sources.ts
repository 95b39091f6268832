import type { Clock, Files } from "#base";
import type { Environment } from "../config/load-config.ts";
import type { WritConfig } from "../config/writ-config.ts";

/** What decides what a workspace would have done. */
export interface ActSources {
  readonly root: string;
  readonly config: WritConfig;
  readonly env: Environment;
  readonly files: Files;
  readonly clock: Clock;
}
