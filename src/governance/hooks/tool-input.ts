import { isJsonObject, type JsonObject, type JsonValue } from "#core/values";

/** The arguments, and the path also as `file_path`, whole: where programs written for Claude Code look for it. */
export function toolInput(payload: JsonObject, folder: string): JsonValue {
  const [args, tool] = [payload["args"], payload["tool"]];
  if (!isJsonObject(args) || typeof tool !== "string" || !tool.startsWith("fs.")) return args ?? null;
  const path = args["path"];
  return typeof path === "string" && !("file_path" in args) ? { ...args, file_path: `${folder}/${path}` } : args;
}
