import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, stat } from "node:fs/promises";
import { codeOfError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { fileError, symlinkError } from "./file-errors.ts";

/**
 * A folder of the workspace that is held open. What is done below `at(name)` is done in this very folder, whatever its path
 * has become meanwhile: on Linux the path leads through the descriptor, which is what `openat` does in other languages.
 * Elsewhere it is an ordinary path, and `isInPlace` right before a commit narrows the race that is left.
 */
export interface HeldFolder {
  /** The path by which to reach an entry. One name, not a path. */
  at(name: string): string;
  /** Whether the workspace path still leads here, with no symbolic link on the way. */
  isInPlace(): Promise<boolean>;
  /** Makes what happened to the entries durable. */
  sync(): Promise<void>;
  readonly owner: { readonly uid: number; readonly gid: number };
  close(): Promise<void>;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Walks from the workspace to a folder, part by part, following no symbolic link. */
export async function holdFolder(root: string, parts: readonly string[], create = false): Promise<Result<HeldFolder>> {
  let handle: FileHandle;
  try {
    handle = await open(root, O_RDONLY | O_DIRECTORY); // the workspace itself may be reached by a link: its owner chose it
  } catch (thrown) {
    return err(fileError(thrown, root));
  }
  let path = root;
  for (const [index, part] of parts.entries()) {
    const next = await openBelow(handle, path, part, create);
    await handle.close();
    if (!next.ok) return err(fileErrorAt(next.error, parts.slice(0, index + 1).join("/")));
    handle = next.value;
    path = `${path}/${part}`;
  }
  return ok(await held(handle, path, root, parts));
}

async function held(handle: FileHandle, path: string, root: string, parts: readonly string[]): Promise<HeldFolder> {
  const { dev, ino, uid, gid } = await handle.stat();
  return {
    at: (name) => below(handle, path, name),
    isInPlace: async () => {
      const again = await holdFolder(root, parts);
      if (!again.ok) return false;
      try {
        const now = await stat(again.value.at("."));
        return now.dev === dev && now.ino === ino;
      } finally {
        await again.value.close();
      }
    },
    sync: () => handle.sync(),
    owner: { uid, gid },
    close: () => handle.close(),
  };
}

type OpenFailure = { readonly thrown: unknown; readonly isLink: boolean };

async function openBelow(
  parent: FileHandle,
  parentPath: string,
  name: string,
  create: boolean,
): Promise<Result<FileHandle, OpenFailure>> {
  const path = below(parent, parentPath, name);
  try {
    return ok(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  } catch (thrown) {
    if (!create || codeOfError(thrown) !== "ENOENT") return err({ thrown, isLink: await isLink(path) });
  }
  try {
    const made = await makeFolder(parent, path);
    const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (made && process.getuid?.() === 0) {
      const { uid, gid } = await parent.stat(); // root works for the workspace's owner, not for itself
      await folder.chown(uid, gid);
    }
    return ok(folder);
  } catch (thrown) {
    return err({ thrown, isLink: await isLink(path) });
  }
}

async function makeFolder(parent: FileHandle, path: string): Promise<boolean> {
  try {
    await mkdir(path, 0o755);
  } catch (thrown) {
    if (codeOfError(thrown) !== "EEXIST") throw thrown;
    return false; // someone else made it meanwhile: it is opened like any other
  }
  await parent.sync();
  return true;
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false; // gone or unreachable: the first error says more
  }
}

function fileErrorAt(failure: OpenFailure, path: string) {
  return failure.isLink ? symlinkError(path) : fileError(failure.thrown, path);
}

function below(folder: FileHandle, path: string, name: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${folder.fd}/${name}` : `${path}/${name}`;
}
