import { isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import { type SettingsDocument, typeOf } from "./settings-document.ts";

/** What a hook has done for its answer: one call of a tool of an MCP server, or a question to a model or an agent. */
export type HookTask =
  | { readonly type: "mcp_tool"; readonly server: string; readonly tool: string; readonly input: JsonObject }
  | { readonly type: "prompt" | "agent"; readonly prompt: string; readonly model?: string };

/** Events at which Claude Code asks a model; an agent is not asked at PermissionRequest. */
const asksModels: readonly string[] = [
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Stop",
  "SubagentStop",
  "UserPromptExpansion",
  "UserPromptSubmit",
];

/** Seconds, where the hook says nothing. */
export const timeOfModels: Readonly<Record<HookTask["type"], number | undefined>> = {
  mcp_tool: undefined,
  prompt: 30,
  agent: 60,
};

interface TaskPlace {
  readonly document: SettingsDocument;
  readonly event: string;
  readonly at: string;
}

/** The task of a hook, with the reason where it is asked at no such event in Claude Code either. */
export function readTask(
  { document, event, at }: TaskPlace,
  type: HookTask["type"],
  hook: Readonly<Record<string, unknown>>,
): Result<{ readonly task: HookTask; readonly unable?: string }> {
  if (type === "mcp_tool") {
    const { server, tool, input = {} } = hook;
    if (typeof server !== "string" || server.trim() === "")
      return document.refuse(`${at}.server`, `is ${typeOf(server)}, expected the name of an MCP server`);
    if (typeof tool !== "string" || tool.trim() === "")
      return document.refuse(`${at}.tool`, `is ${typeOf(tool)}, expected the name of a tool`);
    if (!isJsonObject(input)) return document.refuse(`${at}.input`, `is ${typeOf(input)}, expected an object`);
    const task: HookTask = { type, server, tool, input: input as JsonObject };
    return ok(server.startsWith("plugin:") ? { task, unable: "servers of plugins are not started here" } : { task });
  }
  const { prompt, model } = hook;
  if (typeof prompt !== "string" || prompt.trim() === "")
    return document.refuse(`${at}.prompt`, `is ${typeOf(prompt)}, expected a text`);
  if (model !== undefined && typeof model !== "string")
    return document.refuse(`${at}.model`, `is ${typeOf(model)}, expected a name`);
  const task: HookTask = { type, prompt, ...(model === undefined ? {} : { model }) };
  const isAskedThere = asksModels.includes(event) && !(type === "agent" && event === "PermissionRequest");
  return ok(isAskedThere ? { task } : { task, unable: `hooks of type ${type} are not asked at ${event} there either` });
}
