import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type Sha256, sha256 } from "#core/values";
import { matchesPath, workspacePath } from "#governance";
import type { AttentionSources } from "../pipeline/stage.ts";

export interface ReadFile {
  readonly path: string;
  readonly text: string;
  readonly hash: Sha256;
}

/**
 * A file of the workspace as text: inside it, not where secrets or ledgers are, no link on the way. `undefined` when it is
 * not there. What is refused is a value that says why.
 */
export async function readableFile(
  { files, root, whyUnreadable }: Pick<AttentionSources, "files" | "root" | "whyUnreadable">,
  text: string,
  maxBytes: number,
): Promise<Result<ReadFile | undefined>> {
  const path = workspacePath(text);
  if (!path.ok) return path;
  const why = whyUnreadable(path.value);
  if (why !== undefined) return err(refused(path.value, why));
  const parts = path.value.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join("/");
    const stat = await files.stat(`${root}/${part}`);
    if (!stat.ok) return stat;
    if (!stat.value) return ok(undefined);
    const wanted = depth === parts.length ? "file" : "folder";
    if (stat.value.type !== wanted) return err(refused(path.value, `${part} is a ${stat.value.type}`));
    if (depth === parts.length && stat.value.size > maxBytes)
      return err(refused(path.value, `it is larger than ${maxBytes} bytes`, "MALFORMED_INPUT"));
  }
  const read = await files.readText(`${root}/${path.value}`, { maxBytes });
  if (!read.ok) return read.error.code === "NOT_FOUND" ? ok(undefined) : read;
  return ok({ path: path.value, text: read.value, hash: sha256(read.value) });
}

function refused(
  path: string,
  why: string,
  code: "CAPABILITY_VIOLATION" | "MALFORMED_INPUT" = "CAPABILITY_VIOLATION",
): DomainError {
  return domainError(code, `${JSON.stringify(path)} is not read as context: ${why}`, { details: { path } });
}

const skipped = new Set([".git", "node_modules", "planes"]);

/** Files of the workspace that match a glob, in order of name. Links are not followed, secret places not entered. */
export async function matchingFiles(
  { files, root, reading, whyUnreadable }: Pick<AttentionSources, "files" | "root" | "reading" | "whyUnreadable">,
  glob: string,
  signal: AbortSignal,
): Promise<Result<{ readonly paths: readonly string[]; readonly truncated: boolean }>> {
  const pattern = workspacePath(glob);
  if (!pattern.ok) return pattern;
  const fixed = pattern.value.split("/");
  const start = fixed
    .slice(
      0,
      Math.max(
        0,
        fixed.findIndex((part) => /[*?[\]{}()!+@]/.test(part)),
      ),
    )
    .join("/");
  const paths: string[] = [];
  const patterns = [pattern.value];
  const folders = [start];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = await files.list(folder === "" ? root : `${root}/${folder}`);
    if (!listed.ok) return listed;
    for (const { name, type } of listed.value) {
      seen += 1;
      if (seen > reading.seenFiles || signal.aborted) return ok({ paths: paths.toSorted(), truncated: true });
      const path = folder === "" ? name : `${folder}/${name}`;
      if (whyUnreadable(path) !== undefined) continue;
      if (type === "folder" && !skipped.has(name)) folders.push(path);
      if (type === "file" && matchesPath(patterns, path)) paths.push(path);
    }
  }
  return ok({ paths: paths.toSorted(), truncated: false });
}

export function isGlob(path: string): boolean {
  return /[*?[\]{}]/.test(path);
}
