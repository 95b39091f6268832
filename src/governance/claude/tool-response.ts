import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import type { ShownCall } from "./shown-call.ts";

/** What a tool returned, as Claude Code's tool of that name returns it. */
export function responseOf({ tool_name, input }: ShownCall, result: JsonValue, root: string): JsonValue {
  if (!isJsonObject(result)) return result;
  switch (tool_name) {
    case "Bash":
      return {
        stdout: text(result["stdout"]),
        stderr: text(result["stderr"]),
        interrupted: false,
        isImage: false,
        exitCode: result["exit_code"] ?? 0,
      };
    case "Read":
    case "NotebookRead":
      return {
        type: "text",
        file: {
          filePath: input["file_path"] ?? input["notebook_path"] ?? "",
          content: text(result["content"]),
          numLines: result["line_count"] ?? 0,
          startLine: result["start_line"] ?? 1,
          totalLines: result["total_lines"] ?? 0,
        },
      };
    case "Write":
      return {
        type: result["created"] === true ? "create" : "update",
        filePath: input["file_path"] ?? "",
        content: input["content"] ?? "",
        success: true,
      };
    case "Edit":
    case "MultiEdit":
    case "NotebookEdit":
      return {
        filePath: input["file_path"] ?? input["notebook_path"] ?? "",
        ...("edits" in input
          ? { edits: input["edits"] ?? [] }
          : { oldString: input["old_string"] ?? "", newString: input["new_string"] ?? "" }),
        replaceAll: input["replace_all"] ?? false,
        userModified: false,
        success: true,
      };
    case "Glob": {
      const filenames = paths(result["entries"], root);
      return { filenames, numFiles: filenames.length, truncated: result["truncated"] ?? false, durationMs: 0 };
    }
    case "LS":
      return paths(result["entries"], root).join("\n");
    case "Grep": {
      const matches = objects(result["matches"]);
      const filenames = [...new Set(matches.map(({ path }) => text(path)))];
      const content = matches.map(
        ({ path, line, text: found }) => `${text(path)}:${JSON.stringify(line)}:${text(found)}`,
      );
      return {
        mode: "content",
        numFiles: filenames.length,
        filenames,
        content: content.join("\n"),
        numLines: matches.length,
      };
    }
    default:
      return result;
  }
}

/** The result of Writ for a response that a program changed. What has no way back is refused: half a change would be shown as none. */
export function applyResponse({ tool_name }: ShownCall, result: JsonValue, changed: JsonValue): Result<JsonValue> {
  if (!isJsonObject(result)) return ok(changed);
  if (tool_name.startsWith("mcp__")) return ok(changed);
  if (tool_name === "Bash") {
    if (typeof changed === "string") return ok({ ...result, stdout: changed, stderr: "" });
    if (isJsonObject(changed) && ("stdout" in changed || "stderr" in changed))
      return ok({ ...result, stdout: text(changed["stdout"]), stderr: text(changed["stderr"]) });
  }
  if (tool_name === "Read") {
    if (typeof changed === "string") return ok({ ...result, content: changed });
    const file = isJsonObject(changed) ? changed["file"] : undefined;
    if (isJsonObject(file) && typeof file["content"] === "string") return ok({ ...result, content: file["content"] });
  }
  // In Writ's own form, which the result's schema checks.
  if (isJsonObject(changed) && Object.keys(result).some((key) => key in changed)) return ok(changed);
  if (!known.has(tool_name)) return ok(changed);
  return err(domainError("GATE_DENIED", `its changed output cannot be read as a result of ${tool_name}`));
}

const known = new Set(["Bash", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "LS", "Grep"]);

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((each): each is JsonObject => isJsonObject(each)) : [];
}

function paths(entries: JsonValue | undefined, root: string): readonly string[] {
  const files = objects(entries).filter(({ type }) => type === "file");
  return files.map(({ path }) => `${root}/${text(path)}`);
}
