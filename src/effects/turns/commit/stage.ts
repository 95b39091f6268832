import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { codeOfError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { hashFile } from "../files/hash-file.ts";
import type { RealizedWrite } from "../realized.ts";
import { syncEach, syncFileSystem } from "./durable.ts";
import type { CommitStep } from "./redo-record.ts";

export interface StageOptions {
  /** Where the written file of a path lies. */
  readonly from: (path: string) => string;
  /** A folder on the workspace's file system, so that each step of the commit is a rename. */
  readonly into: string;
  /** The name of a staged file, by its number. */
  readonly name?: (index: number) => string;
  /** The files stay where they are as well: an order that does not land after all keeps its layer. */
  readonly keep?: boolean;
  readonly writes: readonly RealizedWrite[];
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

/** Copies the written files next to the workspace, checks that their bytes are those that were compared, and syncs them. */
export async function stageWrites(options: StageOptions): Promise<Result<readonly CommitStep[]>> {
  mkdirSync(options.into, { recursive: true, mode: 0o700 });
  const steps: CommitStep[] = [];
  const files = options.writes.filter((write) => write.kind === "write").length;
  for (const [index, write] of options.writes.entries()) {
    if (write.kind === "folder") steps.push({ op: "folder", path: write.path, mode: write.mode & 0o777 });
    if (write.kind === "delete") steps.push({ op: "delete", path: write.path });
    if (write.kind !== "write") continue;
    const staged = options.name?.(index) ?? String(index);
    const paths = { from: options.from(write.path), to: join(options.into, staged) };
    const hash = stageOne(write, paths, options, files <= syncEach);
    if (hash !== write.hash)
      return err(
        domainError("UNDECLARED_WRITE", `${write.path} changed between comparison and commit; nothing landed`, {
          details: { path: write.path },
        }),
      );
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

type FileWrite = Extract<RealizedWrite, { kind: "write" }>;

/** Stages one file and returns the hash of the staged bytes. A link in its place is refused, whatever it points at. */
function stageOne(
  write: FileWrite,
  { from, to }: { readonly from: string; readonly to: string },
  { owner, keep }: Pick<StageOptions, "owner" | "keep">,
  sync: boolean,
): string {
  const moved = keep ? link(from, to) : !write.existed && move(from, to);
  const target = openSync(
    to,
    moved ? constants.O_RDWR | constants.O_NOFOLLOW : constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
    0o600,
  );
  try {
    const hash = moved
      ? hashFile(openSync(to, constants.O_RDONLY | constants.O_NOFOLLOW))
      : hashFile(openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW), (chunk) => writeSync(target, chunk));
    fchownSync(target, owner?.uid ?? process.getuid?.() ?? 0, owner?.gid ?? process.getgid?.() ?? 0);
    fchmodSync(target, write.mode & 0o777);
    if (sync) fsyncSync(target);
    return hash;
  } finally {
    closeSync(target);
  }
}

/** A second name for a file that only Writ can write: landing 10,000 files copies none of them. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    chmodSync(to, 0o600);
    return true;
  } catch (thrown) {
    const code = codeOfError(thrown);
    if (code === "EXDEV" || code === "EPERM" || code === "EMLINK") return false;
    throw thrown;
  }
}

/**
 * Moves a new file. A copied-up file cannot be moved: it has the overlay's own attributes. For 10,000 files this saves as
 * many copies and, afterwards, as many removals.
 */
function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
  } catch (thrown) {
    const code = codeOfError(thrown);
    if (code === "EXDEV" || code === "EPERM" || code === "EACCES") return false;
    throw thrown;
  }
  // From here on it is in a folder that only Writ can write, so no other process can swap it.
  if (!lstatSync(to).isFile()) throw Object.assign(new Error(`${from} is no longer a file`), { code: "ELOOP" });
  chmodSync(to, 0o600);
  return true;
}
