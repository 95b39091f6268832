import type { Clock, Files } from "#core/values";
import type { Environment, WritConfig } from "#workspace";

/** What decides what a workspace would have done. */
export interface ActSources {
  readonly root: string;
  readonly config: WritConfig;
  readonly env: Environment;
  readonly files: Files;
  readonly clock: Clock;
}
