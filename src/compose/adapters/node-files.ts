import { constants, type Dirent, type Stats } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import {
  domainError,
  err,
  type FileEntry,
  type FileStat,
  type Files,
  type FileType,
  messageOf,
  ok,
  type Result,
} from "#base";

/** More than any contract, skill or configuration needs; a caller that expects more says so. */
const defaultMaxBytes = 16 * 1024 * 1024;

/** The `Files` port on the machine's own disk. Links are reported as links in lists and stats, and followed only by `readText`. */
export const nodeFiles: Files = { readText, list, stat };

async function readText(path: string, options: { readonly maxBytes?: number } = {}): Promise<Result<string>> {
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  try {
    // Without O_NONBLOCK, opening a named pipe waits for a writer that may never come.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile())
        return malformed(path, `${path} is ${found.isDirectory() ? "a folder" : "no regular file"}, not a file`);
      const bytes = Buffer.alloc(Math.min(found.size, maxBytes) + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
        // A file that grows while it is read, or whose size the system does not know (/proc), ends here too.
        if (length === bytes.length)
          return malformed(path, `${path} is larger than ${Math.min(found.size, maxBytes)} bytes`);
      }
      return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length)));
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (thrown instanceof TypeError) return malformed(path, `${path} is not UTF-8 text`);
    return failure(path, thrown);
  }
}

async function list(folder: string): Promise<Result<readonly FileEntry[]>> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return ok(
      entries
        .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? ok([]) : failure(folder, thrown);
  }
}

async function stat(path: string): Promise<Result<FileStat | undefined>> {
  try {
    const found = await lstat(path);
    return ok({ type: typeOf(found), size: found.size, modifiedMs: found.mtimeMs });
  } catch (thrown) {
    const code = codeOf(thrown);
    return code === "ENOENT" || code === "ENOTDIR" ? ok(undefined) : failure(path, thrown);
  }
}

function typeOf(found: Dirent | Stats): FileType {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "folder";
  return found.isSymbolicLink() ? "link" : "other";
}

function codeOf(thrown: unknown): string | undefined {
  return (thrown as NodeJS.ErrnoException | undefined)?.code;
}

function malformed(path: string, message: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", message, { details: { where: path } }));
}

function failure(path: string, thrown: unknown): Result<never> {
  const code = codeOf(thrown);
  if (code === "ENOENT" || code === "ENOTDIR")
    return err(domainError("NOT_FOUND", `there is no file ${path}`, { details: { where: path }, cause: thrown }));
  const message =
    code === "EACCES" || code === "EPERM"
      ? `${path} may not be read by this user`
      : `cannot read ${path}: ${messageOf(thrown)}`;
  return err(domainError("MALFORMED_INPUT", message, { details: { where: path }, cause: thrown }));
}
