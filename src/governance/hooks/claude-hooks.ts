import { join } from "node:path";
import { domainError } from "#core/errors";
import { err, type Files, isJsonObject, ok, parseJson, type Result } from "#core/values";

const file = ".claude/settings.json";
const maxBytes = 1024 * 1024;
/** Points of Claude Code at which Writ runs no hook: they only notify, or they gate what Writ does not have. No gate is lost. */
const elsewhere = [
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "SessionEnd",
  "PermissionRequest",
  "PostToolUseFailure",
];
const passed = ["type", "command", "timeout"];

/** The hooks of `.claude/settings.json`, in the shape of the `hooks` section; what cannot be read is an error, not an open gate. */
export async function claudeHooks(root: string, files: Files): Promise<Result<Readonly<Record<string, unknown>>>> {
  const text = await files.readText(join(root, file), { maxBytes });
  if (!text.ok) return broken(`cannot be read: ${text.error.message}`);
  const parsed = parseJson(text.value);
  if (!parsed.ok) return broken(parsed.error.message);
  const hooks = isJsonObject(parsed.value) ? (parsed.value["hooks"] ?? {}) : undefined;
  if (!isJsonObject(hooks)) return broken("is no settings file: it has no object of hooks");
  const points = Object.entries(hooks).filter(([point]) => !elsewhere.includes(point));
  return ok(
    Object.fromEntries(points.map(([point, groups]) => [point, Array.isArray(groups) ? groups.map(plain) : groups])),
  );
}

/** Without what Writ does not know of a command hook (a status message, a mark that it runs once). */
function plain(group: unknown): unknown {
  if (!isJsonObject(group) || !Array.isArray(group["hooks"])) return group;
  const hooks = group["hooks"].map((hook) =>
    isJsonObject(hook) && hook["type"] === "command"
      ? Object.fromEntries(Object.entries(hook).filter(([key]) => passed.includes(key)))
      : hook,
  );
  return { ...(typeof group["matcher"] === "string" ? { matcher: group["matcher"] } : {}), hooks };
}

function broken(why: string): Result<never> {
  return err(
    domainError("CONFIG_INVALID", `${file}: ${why}`, {
      details: { where: file, hint: "mend it, or set hooks.read_claude_settings to false" },
    }),
  );
}
