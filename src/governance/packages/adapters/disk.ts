import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { codeOfError, isMissing } from "#core/errors";
import { syncFolderNow } from "#core/machine";

/** Writes a new file and waits until it is on disk. */
export function writeDurably(path: string, bytes: Uint8Array, mode: number): void {
  const descriptor = openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    mode,
  );
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces a file whole: it holds the old bytes or the new ones, also after a power cut. */
export function replaceDurably(path: string, bytes: Uint8Array): void {
  const staged = `${path}.new`;
  removeFile(staged);
  writeDurably(staged, bytes, 0o644);
  renameSync(staged, path);
  syncFolderNow(dirname(path));
}

export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
}

/** Makes the folders above a path of the tree. A link on the way would lead out of the tree, so it is an error. */
export function makeParents(root: string, path: string): void {
  const parts = path.split("/").slice(0, -1);
  let folder = root;
  for (const part of parts) {
    const above = folder;
    folder = join(folder, part);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory()) continue;
    if (found) throw new Error(`${folder} is not a folder`);
    mkdirSync(folder);
    syncFolderNow(above);
  }
}

/** Takes away folders that a removal left empty, up to and without the top folder. */
export function pruneParents(root: string, path: string): void {
  for (let folder = dirname(path); folder.includes("/"); folder = dirname(folder)) {
    const full = join(root, folder);
    if (!existsSync(full)) continue;
    try {
      rmdirSync(full);
    } catch (thrown) {
      if (codeOfError(thrown) === "ENOTEMPTY" || codeOfError(thrown) === "EEXIST") return;
      throw thrown;
    }
  }
}
