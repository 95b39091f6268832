import type { ModuleProcess, ModuleSpec } from "#core/machine";
import type { Clock } from "#core/values";

/** A module of an app or a worker with the process that it runs in. */
export interface StartedModule {
  readonly module: ModuleSpec;
  readonly process: ModuleProcess;
  readonly clock: Clock;
}
