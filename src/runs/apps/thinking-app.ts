import type { AppTurnActionsV1, AppTurnInputV1 } from "#core/contracts";
import type { JsonObject, Result } from "#core/values";
import type { App, AppContext } from "../kernel/app.ts";

/** An app that may call a model. It accesses no state and no file and knows no flow: it gets an input and returns actions. */
export interface ThinkingApp {
  readonly app_id: string;
  turn(input: AppTurnInputV1, context: ThinkingContext): Promise<AppTurnActionsV1>;
}

/** An app that is called: one that is a module says how it is isolated. */
export type LoadedApp = ThinkingApp & Pick<App, "tier">;

export interface ThinkingContext extends AppContext {
  readonly think: Think;
}

/**
 * Calls a model, through the router, in its own work order. The same key in the same run is the same question: the model is
 * called once for it, also across crashes.
 */
export type Think = (question: Question) => Promise<Result<Thought>>;

export interface Question {
  /** Identifies the open question by the run's state, never by the turn. */
  readonly key: string;
  /** Id of the prompt contract. */
  readonly contract: string;
  readonly input: JsonObject;
  /** Id of the schema that the answer must satisfy. */
  readonly output_schema: string;
}

export interface Thought {
  readonly answer: JsonObject;
  readonly work_order_id: string;
  readonly session_id: string;
  /** The answer is from an earlier call; no request was sent. */
  readonly repeated: boolean;
}
