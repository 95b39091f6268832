import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "#core/values";
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
  /** The event that it is written for, where the point has another name. */
  readonly event?: string | undefined;
  readonly permissionMode: string;
}

/**
 * What a program reads on stdin: the fields that Claude Code gives, over the point's own payload. A program written for it finds
 * `tool_name` and `tool_input` in its form, one written for Writ finds `tool`, `args`, `role` and the rest.
 */
export function commandInput(payload: JsonObject, about: HookAbout, shown: Shown): JsonObject {
  const { call, root, transcript, permissionMode } = shown;
  const { claudeCode } = pointSpecs[about.point];
  const event = shown.event ?? claudeCode.name ?? about.point;
  return {
    ...payload,
    ...claudeCode.fields(payload),
    ...(call ? { tool_name: call.tool_name, tool_input: call.input } : {}),
    ...(call && claudeCode.shows === "result" ? resultIn(event, call, { payload, root }) : {}),
    ...(event === "PermissionRequest" ? { permission_suggestions: [] } : {}),
    ...(event === "UserPromptExpansion" ? expansionOf(payload) : {}),
    session_id: about.session_id,
    transcript_path: transcript,
    cwd: folderOf(payload, about.cwd ?? root, root),
    permission_mode: permissionMode,
    hook_event_name: event,
  };
}

/** A result as each event shows it: a success, a failure, or a batch of calls, which is one call here. */
function resultIn(
  event: string,
  call: ShownCall,
  { payload, root }: { readonly payload: JsonObject; readonly root: string },
): JsonObject {
  const { result = null, call_id = null } = payload;
  const tool_response = responseOf(call, result, root);
  if (event === "PostToolUseFailure") return { error: failureIn(result), is_interrupt: false };
  if (event !== "PostToolBatch") return { tool_response };
  const shown = typeof tool_response === "string" ? tool_response : canonicalJson(tool_response);
  const { tool_name, input: tool_input } = call;
  return { tool_calls: [{ tool_name, tool_input, tool_use_id: call_id, tool_response: shown }] };
}

function failureIn(result: JsonValue): string {
  if (!isJsonObject(result)) return typeof result === "string" ? result : canonicalJson(result);
  const { error } = result;
  const message = isJsonObject(error) ? error["message"] : (error ?? result["message"]);
  return typeof message === "string" ? message : canonicalJson(result);
}

function expansionOf({ skill }: JsonObject): JsonObject {
  const command_name = typeof skill === "string" ? skill : "";
  return {
    expansion_type: "slash_command",
    command_name,
    command_args: "",
    command_source: "project",
    prompt: `/${command_name}`,
  };
}

/** A program is started in a folder of its own where its call says so; that is where Claude Code's shell would stand. */
function folderOf({ tool, args }: JsonObject, folder: string, root: string): string {
  const own = tool === "exec" && isJsonObject(args) ? args["cwd"] : undefined;
  return typeof own === "string" && own !== "" ? `${root}/${own}` : folder;
}
