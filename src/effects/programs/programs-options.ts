import type { Clock, Random } from "#core/values";
import type { Environment, WritConfig } from "#workspace";

export interface ProgramsOptions {
  readonly root: string;
  readonly config: WritConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  /** Gets a line where a program runs from an older snapshot. */
  readonly onNotice?: ((line: string) => void) | undefined;
}
