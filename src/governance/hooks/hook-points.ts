import type { JsonObject, JsonValue, Result } from "#core/values";
import type { HookPoint, HookPointSpec } from "./hook-point.ts";
import { elicitation } from "./points/elicitation.ts";
import { elicitationResult } from "./points/elicitation-result.ts";
import { phaseAdvance } from "./points/phase-advance.ts";
import { postToolUse } from "./points/post-tool-use.ts";
import { preCompact } from "./points/pre-compact.ts";
import { preToolUse } from "./points/pre-tool-use.ts";
import { sessionStart } from "./points/session-start.ts";
import { skillStart } from "./points/skill-start.ts";
import { stop } from "./points/stop.ts";
import { userPromptSubmit } from "./points/user-prompt-submit.ts";
import { workflowComplete } from "./points/workflow-complete.ts";
import { workflowStart } from "./points/workflow-start.ts";

/** The points in the order in which they are listed. */
export const pointSpecs: { readonly [P in HookPoint]: HookPointSpec<P> } = {
  SessionStart: sessionStart,
  UserPromptSubmit: userPromptSubmit,
  PreToolUse: preToolUse,
  PostToolUse: postToolUse,
  SkillStart: skillStart,
  Stop: stop,
  PreCompact: preCompact,
  Elicitation: elicitation,
  ElicitationResult: elicitationResult,
  WorkflowStart: workflowStart,
  PhaseAdvance: phaseAdvance,
  WorkflowComplete: workflowComplete,
};

export const hookPoints: readonly HookPoint[] = Object.values(pointSpecs).map(({ point }) => point);

export const askingPoints: readonly HookPoint[] = hookPoints.filter((point) => pointSpecs[point].mayAsk);

/** Whether every handler is asked, also after one of them denied. */
export function asksEveryHandler(point: HookPoint): boolean {
  return pointSpecs[point].afterDenial === "goes on";
}

/** What the next handler, and then the caller, gets after a transform. */
export function transformed(point: HookPoint, payload: JsonObject, output: JsonValue): Result<JsonObject> {
  return pointSpecs[point].transform(payload, output);
}
