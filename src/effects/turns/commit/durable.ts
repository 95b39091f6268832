import { execFile } from "node:child_process";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolderNow } from "#core/machine";

/** Beyond this many files one sync of the file system costs less than one for each. */
export const syncEach = 16;

/** Everything of one file system to disk, in one call of the kernel's. */
export function syncFileSystem(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile("sync", ["-f", path], { env: { PATH: "/usr/bin:/bin" } }, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes a small file so that it is there whole or not at all, also after a power cut. */
export function writeDurably(file: string, text: string, rename: (from: string, to: string) => void): void {
  const descriptor = openSync(`${file}.new`, "w", 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  rename(`${file}.new`, file);
  syncFolderNow(dirname(file));
}
