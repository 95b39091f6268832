import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { HookAbout } from "./hook-handler.ts";

/**
 * What a program reads on stdin: the fields that hook programs already know, over the point's own payload. A program
 * written for Claude Code finds `tool_name` and `tool_input`, one written for Writ finds `tool`, `args`, `role` and the rest.
 */
export function commandInput(payload: JsonObject, about: HookAbout, root: string): JsonObject {
  return {
    ...payload,
    ...known(payload, about, about.cwd ?? root),
    session_id: about.session_id,
    cwd: about.cwd ?? root,
    permission_mode: "default",
    hook_event_name: about.point,
  };
}

function known(payload: JsonObject, about: HookAbout, folder: string): JsonObject {
  const field = (name: string): JsonValue => payload[name] ?? null;
  switch (about.point) {
    case "PreToolUse":
      return { tool_name: field("tool"), tool_input: toolInput(payload, folder), tool_use_id: field("call_id") };
    case "PostToolUse":
      return {
        tool_name: field("tool"),
        tool_input: toolInput(payload, folder),
        tool_use_id: field("call_id"),
        tool_response: field("result"),
      };
    case "Stop": {
      const count = payload["rework_count"];
      return { stop_hook_active: typeof count === "number" && count > 0 };
    }
    case "SessionStart":
      return { source: payload["source"] ?? "startup" };
    case "PreCompact":
      return { trigger: payload["trigger"] ?? "auto", custom_instructions: "" };
    case "UserPromptSubmit":
    case "SkillStart":
    case "WorkflowStart":
    case "PhaseAdvance":
    case "WorkflowComplete":
      return {};
  }
}

/** The arguments, and the path also as `file_path`, whole: where programs written for Claude Code look for it. */
function toolInput(payload: JsonObject, folder: string): JsonValue {
  const [args, tool] = [payload["args"], payload["tool"]];
  if (!isJsonObject(args) || typeof tool !== "string" || !tool.startsWith("fs.")) return args ?? null;
  const path = args["path"];
  return typeof path === "string" && !("file_path" in args) ? { ...args, file_path: `${folder}/${path}` } : args;
}

/** The prompt with a program's context behind it. */
export function withContext(payload: JsonObject, context: string): JsonObject {
  const prompt = isJsonObject(payload) ? payload["prompt"] : undefined;
  return { prompt: `${typeof prompt === "string" ? prompt : ""}\n\n${context}` };
}
