import { isJsonObject, type JsonObject } from "#core/values";
import type { HookAbout } from "./hook-handler.ts";
import { pointSpecs } from "./hook-points.ts";

/**
 * What a program reads on stdin: the fields that hook programs already know, over the point's own payload. A program
 * written for Claude Code finds `tool_name` and `tool_input`, one written for Writ finds `tool`, `args`, `role` and the rest.
 */
export function commandInput(payload: JsonObject, about: HookAbout, root: string): JsonObject {
  const { claudeCode } = pointSpecs[about.point];
  return {
    ...payload,
    ...claudeCode.fields(payload, about.cwd ?? root),
    session_id: about.session_id,
    cwd: about.cwd ?? root,
    permission_mode: "default",
    hook_event_name: claudeCode.name ?? about.point,
  };
}

/** The prompt with a program's context behind it. */
export function withContext(payload: JsonObject, context: string): JsonObject {
  const prompt = isJsonObject(payload) ? payload["prompt"] : undefined;
  return { prompt: `${typeof prompt === "string" ? prompt : ""}\n\n${context}` };
}
