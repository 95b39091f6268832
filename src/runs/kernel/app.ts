import type { AppTurnActionsV1, AppTurnInputV1 } from "#core/contracts";
import type { RunId } from "#core/values";
import type { Tier } from "./commands.ts";
import type { Documents } from "./documents.ts";
import type { KernelReader } from "./store/port.ts";

/**
 * An app is a module with one function: it is shown what happened and answers what it wants. It keeps nothing between
 * turns: whatever it needs is in the run's history, in its documents, or in the input.
 */
export interface App {
  readonly app_id: string;
  /** The isolation that a module's app runs in; absent for an app that is code of this process. */
  readonly tier?: Tier;
  turn(input: AppTurnInputV1, context: AppContext): Promise<AppTurnActionsV1>;
}

export interface AppContext {
  readonly run_id: RunId;
  readonly read: KernelReader;
  readonly documents: Documents;
  /** How many turns of this run failed since the last one that did not. */
  readonly failures: number;
  /** Aborts when the turn's time is over, its claim is lost, or the conductor ends. */
  readonly signal: AbortSignal;
}
