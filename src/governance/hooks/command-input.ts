import { isJsonObject, type JsonObject } from "#core/values";
import type { ShownCall } from "../claude/shown-call.ts";
import { responseOf } from "../claude/tool-response.ts";
import type { HookAbout } from "./hook-handler.ts";
import { pointSpecs } from "./hook-points.ts";

/** What a program is shown of what a point is about. */
export interface Shown {
  /** The call in Claude Code's form, at the points that are about one. */
  readonly call: ShownCall | undefined;
  readonly root: string;
  /** Where it finds the conversation so far. */
  readonly transcript: string;
}

/**
 * What a program reads on stdin: the fields that Claude Code gives, over the point's own payload. A program written for it finds
 * `tool_name` and `tool_input` in its form, one written for Writ finds `tool`, `args`, `role` and the rest.
 */
export function commandInput(payload: JsonObject, about: HookAbout, { call, root, transcript }: Shown): JsonObject {
  const { claudeCode } = pointSpecs[about.point];
  return {
    ...payload,
    ...claudeCode.fields(payload),
    ...(call ? { tool_name: call.tool_name, tool_input: call.input } : {}),
    ...(call && claudeCode.shows === "result"
      ? { tool_response: responseOf(call, payload["result"] ?? null, root) }
      : {}),
    session_id: about.session_id,
    transcript_path: transcript,
    cwd: folderOf(payload, about.cwd ?? root, root),
    permission_mode: "default",
    hook_event_name: claudeCode.name ?? about.point,
  };
}

/** A program is started in a folder of its own where its call says so; that is where Claude Code's shell would stand. */
function folderOf({ tool, args }: JsonObject, folder: string, root: string): string {
  const own = tool === "exec" && isJsonObject(args) ? args["cwd"] : undefined;
  return typeof own === "string" && own !== "" ? `${root}/${own}` : folder;
}

/** The prompt with a program's context behind it. */
export function withContext(payload: JsonObject, context: string): JsonObject {
  const prompt = isJsonObject(payload) ? payload["prompt"] : undefined;
  return { prompt: `${typeof prompt === "string" ? prompt : ""}\n\n${context}` };
}
