import { domainError } from "#core/errors";
import { err, type Files, type Result } from "#core/values";
import type { PromptedRole } from "./role.ts";

const maxBytes = 256 * 1024;

/** Reads a role's prompt: the workspace's Markdown first, then what Writ ships. Edit the file and the next request follows it. */
export function rolePromptReader(
  files: Files,
  roots: readonly string[],
): (role: PromptedRole) => Promise<Result<string>> {
  return async (role) => {
    for (const root of roots) {
      const text = await files.readText(`${root}/agents/${role}.md`, { maxBytes });
      if (text.ok || text.error.code !== "NOT_FOUND") return text;
    }
    return err(domainError("NOT_FOUND", `there is no prompt for the role ${role}: agents/${role}.md is missing`));
  };
}
