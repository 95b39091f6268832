import { basename, resolve } from "node:path";
import { ok, type Result } from "#core/values";
import type { AttachedFile } from "../orders/attachments.ts";

/** The files that a person names on a command line: theirs to read, as `cat` would. */
export async function readAttached(paths: readonly string[], cwd: string): Promise<Result<readonly AttachedFile[]>> {
  const { readBytes } = await import("../../core/machine/read-bytes.ts");
  const files: AttachedFile[] = [];
  for (const path of paths) {
    const bytes = await readBytes(resolve(cwd, path));
    if (!bytes.ok) return bytes;
    files.push({ name: basename(path), bytes: bytes.value });
  }
  return ok(files);
}
