import { type Files, ok, type Result, type Sha256, sha256 } from "#base";

/** What the project says to every agent that works in it. */
export type ProjectContext =
  | { readonly state: "present"; readonly path: "AGENTS.md"; readonly text: string; readonly hash: Sha256 }
  | { readonly state: "absent" }
  | { readonly state: "refused"; readonly path: "AGENTS.md"; readonly reason: string };

const maxBytes = 256 * 1024;

/** AGENTS.md of the workspace. It is context, with its hash in the log, and never a right: a sentence in it opens no gate. */
export async function readProjectContext(files: Files, root: string): Promise<Result<ProjectContext>> {
  const path = `${root}/AGENTS.md`;
  const stat = await files.stat(path);
  if (!stat.ok) return stat;
  if (stat.value === undefined) return ok({ state: "absent" });
  const refused = (reason: string): Result<ProjectContext> => ok({ state: "refused", path: "AGENTS.md", reason });
  if (stat.value.type !== "file") return refused(`it is a ${stat.value.type}, expected a file: links are not followed`);
  const text = await files.readText(path, { maxBytes });
  if (!text.ok) return refused(`it cannot be read as UTF-8 text of at most ${maxBytes} bytes`);
  return ok({ state: "present", path: "AGENTS.md", text: text.value, hash: sha256(text.value) });
}
