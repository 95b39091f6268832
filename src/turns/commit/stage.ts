import { execFile } from "node:child_process";
import { closeSync, constants, fchmodSync, fchownSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { domainError, err, ok, type Result } from "#base";
import { hashFile } from "../files/hash-file.ts";
import type { RealizedWrite } from "../realized.ts";
import type { CommitStep } from "./redo-record.ts";

export interface StageOptions {
  /** Where the written files lie, under their own paths. */
  readonly from: string;
  /** The turn's folder on the workspace's file system, so that each step of the commit is a rename. */
  readonly into: string;
  readonly writes: readonly RealizedWrite[];
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

/** Beyond this many files one sync of the file system costs less than one for each. */
const syncEach = 16;

/** Copies what was written next to the workspace, checks that the bytes are those that were compared, and syncs them. */
export async function stageWrites(options: StageOptions): Promise<Result<readonly CommitStep[]>> {
  mkdirSync(join(options.into, "staged"), { recursive: true, mode: 0o700 });
  const steps: CommitStep[] = [];
  const files = options.writes.filter((write) => write.kind === "write").length;
  for (const [index, write] of options.writes.entries()) {
    if (write.kind === "folder") steps.push({ op: "folder", path: write.path, mode: write.mode & 0o777 });
    if (write.kind === "delete") steps.push({ op: "delete", path: write.path });
    if (write.kind !== "write") continue;
    const staged = String(index);
    const target = openSync(
      join(options.into, "staged", staged),
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      // A link in the layer's place would be refused here, whatever it points at.
      const source = openSync(join(options.from, write.path), constants.O_RDONLY | constants.O_NOFOLLOW);
      const hash = hashFile(source, (chunk) => writeSync(target, chunk));
      if (hash !== write.hash)
        return err(
          domainError("UNDECLARED_WRITE", `${write.path} changed between comparison and commit; nothing was kept`, {
            details: { path: write.path },
          }),
        );
      if (options.owner) fchownSync(target, options.owner.uid, options.owner.gid);
      fchmodSync(target, write.mode & 0o777);
      if (files <= syncEach) fsyncSync(target);
    } finally {
      closeSync(target);
    }
    steps.push({ op: "write", path: write.path, staged, hash: write.hash, mode: write.mode & 0o777 });
  }
  if (files > syncEach) await syncFileSystem(options.into);
  // Folders from the top, deletes from the bottom.
  const order = { folder: 0, write: 1, delete: 2 } as const;
  return ok(
    steps.sort(
      (a, b) =>
        order[a.op] - order[b.op] ||
        (a.op === "delete" ? b.path.length - a.path.length : a.path.length - b.path.length),
    ),
  );
}

/** Everything of one file system to disk, in one call of the kernel's. */
export function syncFileSystem(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile("sync", ["-f", path], { env: { PATH: "/usr/bin:/bin" } }, (error) => (error ? reject(error) : resolve()));
  });
}

export function syncFolder(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
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
  syncFolder(dirname(file));
}
