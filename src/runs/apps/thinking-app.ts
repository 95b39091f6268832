import type { AppTurnActionsV1, AppTurnInputV1 } from "#core/contracts";
import type { JsonObject, Result } from "#core/values";
import type { AppContext } from "../kernel/app.ts";

/** An app that may ask a model. It touches no state, opens no file and knows no flow: it is asked, thinks and answers. */
export interface ThinkingApp {
  readonly app_id: string;
  turn(input: AppTurnInputV1, context: ThinkingContext): Promise<AppTurnActionsV1>;
}

export interface ThinkingContext extends AppContext {
  readonly think: Think;
}

/**
 * Asks a model, through the router, under a work order of its own. The same key in the same run is the same question:
 * it is asked once, whatever crashed meanwhile.
 */
export type Think = (question: Question) => Promise<Result<Thought>>;

export interface Question {
  /** Names the unresolved state that the answer is for; never a turn. */
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
  /** It had been asked before; nothing was sent. */
  readonly repeated: boolean;
}
