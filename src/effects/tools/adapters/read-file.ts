import { constants, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { domainError } from "#core/errors";
import { err, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { FileView } from "../../turns/layer/file-view.ts";
import { fileError } from "./file-errors.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";

export interface FileContent {
  readonly bytes: Buffer;
  readonly hash: Sha256;
  readonly stats: Stats;
}

/** Reads a file of the workspace whole, up to a limit, following no symbolic link; what the order of `view` wrote, if it wrote it. */
export async function readWorkspaceFile(
  root: string,
  path: string,
  maxBytes: number,
  view?: FileView,
): Promise<Result<FileContent>> {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  if (view?.commitOf(path) !== undefined) return readEntry({ at: () => view.at(path) }, name, path, maxBytes);
  const folder = await holdFolder(root, parts);
  if (!folder.ok) return folder;
  try {
    return await readEntry(folder.value, name, path, maxBytes);
  } finally {
    await folder.value.close();
  }
}

// Non-blocking: opening a named pipe would otherwise wait for a writer that never comes.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function readEntry(
  folder: Pick<HeldFolder, "at">,
  name: string,
  path: string,
  maxBytes: number,
): Promise<Result<FileContent>> {
  try {
    const handle = await open(folder.at(name), flags);
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) return err(domainError("TOOL_ERROR", `${JSON.stringify(path)} is a folder`));
      if (!stats.isFile())
        return err(domainError("CAPABILITY_VIOLATION", `${JSON.stringify(path)} is no ordinary file`));
      if (stats.size > maxBytes) return err(tooLarge(path, stats.size, maxBytes));
      const bytes = await handle.readFile();
      // It may have grown while it was read.
      if (bytes.length > maxBytes) return err(tooLarge(path, bytes.length, maxBytes));
      return ok({ bytes, hash: sha256(bytes), stats });
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    return err(fileError(thrown, path));
  }
}

function tooLarge(path: string, bytes: number, maxBytes: number) {
  return domainError("TOOL_ERROR", `${JSON.stringify(path)} has ${bytes} bytes; at most ${maxBytes} are read`);
}
