import * as fs from "node:fs";
import { dirname } from "node:path";
import { codeOfError } from "#core/errors";
import { removeWholeTree, syncFolder } from "#core/machine";

/**
 * The file calls of the log that the disk can fail. Tests pass one that is full or that fails to sync. Never
 * `appendFile` or `writeFile`: they split large records (RELIABILITY D6).
 */
export interface Disk {
  open(path: string, how: OpenHow): number;
  close(fd: number): void;
  /** One `write()`; returns how many bytes were written. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  /** The same in the thread pool, for large writes. */
  writeAside(fd: number, bytes: Uint8Array, position: number): Promise<number>;
  truncate(fd: number, length: number): void;
  size(fd: number): number;
  /** `fdatasync`; `here`: on this thread, blocking. */
  sync(fd: number, here?: boolean): Promise<void>;
  /** `fsync` of a folder, so that names in it survive. */
  syncFolder(path: string): Promise<void>;
  /** With its parents; returns the topmost folder that was created, if any was. */
  makeFolder(path: string): string | undefined;
  remove(path: string): void;
}

/** `new` must not exist, `write` must, `update` may. */
export type OpenHow = "new" | "write" | "update";

const flags: Record<OpenHow, number> = {
  update: fs.constants.O_RDWR | fs.constants.O_CREAT,
  write: fs.constants.O_RDWR,
  new: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL,
};

export const realDisk: Disk = {
  open: (path, how) => fs.openSync(path, flags[how], 0o644),
  close: (fd) => fs.closeSync(fd),
  write: (fd, bytes, position) => fs.writeSync(fd, bytes, 0, bytes.length, position),
  writeAside: (fd, bytes, position) =>
    new Promise((resolve, reject) => {
      fs.write(fd, bytes, 0, bytes.length, position, (error, written) => (error ? reject(error) : resolve(written)));
    }),
  truncate: (fd, length) => fs.ftruncateSync(fd, length),
  size: (fd) => fs.fstatSync(fd).size,
  sync: (fd, here) =>
    new Promise((resolve, reject) => {
      if (!here) return fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
      fs.fdatasyncSync(fd);
      resolve();
    }),
  syncFolder,
  makeFolder: (path) => (fs.existsSync(path) ? undefined : fs.mkdirSync(path, { recursive: true })),
  remove: (path) => removeWholeTree(path),
};

/** Writes all of it or throws: a short write means that the disk is full or worse. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const written = disk.write(fd, done === 0 ? bytes : bytes.subarray(done), position + done);
    if (written <= 0) throw shortWrite(done, bytes.length);
    done += written;
  }
}

export async function writeAllAside(disk: Disk, fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const written = await disk.writeAside(fd, done === 0 ? bytes : bytes.subarray(done), position + done);
    if (written <= 0) throw shortWrite(done, bytes.length);
    done += written;
  }
}

function shortWrite(done: number, length: number): Error {
  return new Error(`the disk took ${done} of ${length} bytes`);
}

/** The folders to sync when `topmost` was created on the way to `folder`: from there up to the parent of `topmost`. */
export function foldersBetween(folder: string, topmost: string): readonly string[] {
  const end = dirname(topmost);
  const folders = [folder];
  for (let each = folder; each !== end && each !== dirname(each); ) {
    each = dirname(each);
    folders.push(each);
  }
  return folders;
}

export async function syncFolders(disk: Disk, folders: Iterable<string>): Promise<void> {
  for (const folder of new Set(folders)) await disk.syncFolder(folder);
}

const passing: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE", "EAGAIN", "EINTR"];

/** Failures after which the same call may succeed later: no room, or too many open files. */
export function isPassing(thrown: unknown): boolean {
  const code = codeOfError(thrown);
  return code === undefined || passing.includes(code);
}

/**
 * Whether a sync was not even tried and can be tried later: its file or folder could not be opened, because too many
 * are open. After a sync that was tried and failed the state of the disk is unknown.
 */
export function isUntried(thrown: unknown): boolean {
  return isPassing(thrown) && thrown instanceof Error && "syscall" in thrown && thrown.syscall === "open";
}
