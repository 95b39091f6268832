import type { EventPayloads, SchemaRegistry } from "#core/contracts";
import type { Clock, JsonObject } from "#core/values";
import type { Answer } from "./answer.ts";
import { askHandler } from "./ask-handler.ts";
import { copyJson } from "./copy-json.ts";
import type { HookHandler, HookOutcome } from "./hook-handler.ts";
import { asksEveryHandler } from "./hook-points.ts";
import { compileMatcher } from "./matcher.ts";
import { mergeAnswers } from "./merge-answers.ts";

export type RecordedFiring = EventPayloads["hook.fired"];

/** What a hook of today says about what was asked then. */
export interface AskedAgain {
  /** Null: its matcher leaves this out. */
  readonly answer: Answer | null;
  /** What all answers come to, its own among the recorded ones. */
  readonly outcome: HookOutcome;
  /** Handlers that were not asked then, because of a denial, and are not asked now. */
  readonly unasked: readonly string[];
}

export interface AskAgain {
  readonly firing: RecordedFiring;
  /** How many of the recorded answers came before this one; the handler of its name, if there was one, is not among them. */
  readonly after: number;
  /** What it is given: the recorded input, as those before it left it. */
  readonly payload: JsonObject;
  readonly session_id: string;
  readonly cwd: string;
  readonly canAsk: boolean;
}

/**
 * Asks one handler about a recorded input and puts its answer among those that were recorded, in the place of the handler
 * of its name. Records nothing and asks no other handler. The handler runs within its usual limits.
 */
export async function askAgain(
  handler: HookHandler,
  { firing, after, payload, session_id, cwd, canAsk }: AskAgain,
  deps: { readonly schemas: SchemaRegistry; readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<AskedAgain> {
  const matcher = compileMatcher(handler.matcher);
  const { point } = handler;
  const about = Object.freeze({ point, session_id, cwd });
  const others = firing.handlers.filter(({ id }) => id !== handler.id).map(recordedAnswer);
  const before = others.slice(0, after);
  const isCutShort = !asksEveryHandler(point) && before.some(({ decision }) => decision === "deny");
  const isAsked = !isCutShort && (!matcher.ok || matcher.value(firing.subject));
  const frozen = copyJson(payload, Number.POSITIVE_INFINITY);
  if (!frozen.ok) throw new Error(`a recorded payload is no JSON: ${frozen.error.message}`);
  const answer = isAsked ? await askHandler(handler, frozen.value as JsonObject, about, { ...deps, canAsk }) : null;
  const outcome = mergeAnswers(point, [...before, ...(answer ? [answer] : []), ...others.slice(after)]);
  return { answer, outcome, unasked: outcome.decision === "deny" ? [] : (firing.not_asked ?? []) };
}

/** What it changed is not in the record, only that it did: that is enough to see who wins. */
function recordedAnswer({
  id,
  kind,
  hash,
  decision,
  reason,
  duration_ms,
  fault,
}: RecordedFiring["handlers"][number]): Answer {
  const how = fault === undefined ? {} : { fault };
  const answer = { handler: { id, kind, hash }, decision, reason, durationMs: duration_ms, ...how };
  return decision === "transform" ? { ...answer, output: null } : answer;
}
