import {
  chmodSync,
  constants,
  copyFileSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOfError, domainError, messageOf } from "#core/errors";
import { noteAgentWrites } from "#core/machine";
import { err, type Failpoint, ok, type Result } from "#core/values";
import { hashFile } from "../files/hash-file.ts";
import { type OpenFolder, openFolder } from "../files/open-folder.ts";
import { syncEach, syncFileSystem } from "./durable.ts";
import { type CommitStep, type RedoRecord, writeRedo } from "./redo-record.ts";

/*
 *   promised ──every step──► done
 *      │ a step cannot be taken
 *      ▼
 *    back, on disk ──what was done is undone──► as it was
 */

/**
 * Carries out a redo record, from its first step or from the step where a crash left it. After a failure the workspace is as
 * it was: the previous version of each file is kept beside the stage until the commit is over.
 */
export async function applyCommit(
  root: string,
  turnFolder: string,
  record: RedoRecord,
  failpoint: Failpoint,
): Promise<Result<void>> {
  const written = record.steps.flatMap((step) => (step.op === "folder" ? [] : [step.path]));
  let why = record.back;
  try {
    noteAgentWrites(root, written); // where it is finished after a crash
    why ??= goForward(root, turnFolder, record, failpoint);
    // Again, should a person have agreed to what lay there in between.
    noteAgentWrites(root, written);
    if (why !== undefined) goBack(root, turnFolder, record, why);
    if (record.steps.length > syncEach) await syncFileSystem(root);
  } catch (thrown) {
    // The disk fails: the remaining steps are done when the workspace is opened next.
    return err(
      domainError("INTERNAL", `the commit was promised and could not be finished: ${messageOf(thrown)}`, {
        details: { promised: true },
        cause: thrown,
      }),
    );
  }
  if (why === undefined) return ok(undefined);
  return err(domainError("WRITE_CONFLICT", `${why} while the turn was committed; all of it was taken back`));
}

function goBack(root: string, turnFolder: string, record: RedoRecord, why: string): void {
  if (record.back === undefined) writeRedo(turnFolder, { ...record, back: why });
  for (const [index, step] of [...record.steps.entries()].reverse()) undo(root, turnFolder, index, step);
}

function goForward(root: string, turnFolder: string, record: RedoRecord, failpoint: Failpoint): string | undefined {
  for (const [index, step] of record.steps.entries()) {
    try {
      const folder = openFolder(root, foldersOf(step), step.op === "delete" ? undefined : (made) => own(made, record));
      if (folder === null) {
        if (step.op === "delete") continue;
        return `a part of ${dirname(step.path)} was no longer a folder`;
      }
      try {
        take(folder, { turnFolder, owner: record.owner }, index, step);
        if (record.steps.length <= syncEach) fsyncSync(folder.descriptor);
      } finally {
        folder.close();
      }
    } catch (thrown) {
      return `${step.path} could not be put into place (${messageOf(thrown)})`;
    }
    failpoint(`turn.commit.step.${index}`);
  }
  return undefined;
}

/** Folder of the turn's staged files, and their owner after the commit. */
interface Stage {
  readonly turnFolder: string;
  readonly owner: RedoRecord["owner"];
}

function take(folder: OpenFolder, { turnFolder, owner }: Stage, index: number, step: CommitStep): void {
  const target = folder.at(basename(step.path));
  switch (step.op) {
    case "folder":
      chmodSync(folder.at("."), step.mode);
      if (owner) fchownSync(folder.descriptor, owner.uid, owner.gid);
      break;
    case "write": {
      const staged = join(turnFolder, "staged", step.staged);
      // A file that is gone from the stage was put into place before the crash.
      if (!lstatSync(staged, { throwIfNoEntry: false })) break;
      keepBefore(target, turnFolder, index);
      renameSync(staged, target);
      break;
    }
    case "delete":
      keepBefore(target, turnFolder, index);
      remove(target);
      break;
  }
}

/** Links the present file under a second name, so that it can be restored. Folders are made anew. */
function keepBefore(target: string, turnFolder: string, index: number): void {
  const stat = lstatSync(target, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return;
  const kept = beforeOf(turnFolder, index);
  mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
  if (lstatSync(kept, { throwIfNoEntry: false })) return;
  try {
    linkSync(target, kept);
  } catch (thrown) {
    // A machine that forbids hard links to files of other users.
    if (codeOfError(thrown) !== "EPERM" || !stat.isFile()) throw thrown;
    copyFileSync(target, kept, constants.COPYFILE_EXCL);
  }
}

/** Undoes one step. Where its folder is gone or was replaced, nothing of this commit is left to remove. */
function undo(root: string, turnFolder: string, index: number, step: CommitStep): void {
  if (step.op === "folder") return; // an empty folder is no output
  const folder = openFolder(root, foldersOf(step));
  if (folder === null) return;
  try {
    const target = folder.at(basename(step.path));
    const kept = beforeOf(turnFolder, index);
    if (lstatSync(kept, { throwIfNoEntry: false })) bringBack(kept, target);
    else if (step.op === "write" && isOurs(target, step.hash)) unlinkSync(target);
    fsyncSync(folder.descriptor);
  } finally {
    folder.close();
  }
}

/** Links the kept file back instead of moving it, so that this can be repeated after a crash. */
function bringBack(kept: string, target: string): void {
  const again = `${kept}.again`;
  if (lstatSync(again, { throwIfNoEntry: false })) unlinkSync(again);
  linkSync(kept, again);
  renameSync(again, target);
}

function isOurs(target: string, hash: string): boolean {
  if (!lstatSync(target, { throwIfNoEntry: false })?.isFile()) return false;
  return hashFile(openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW)) === hash;
}

function foldersOf(step: CommitStep): readonly string[] {
  const parts = step.path.split("/");
  return step.op === "folder" ? parts : parts.slice(0, -1);
}

function beforeOf(turnFolder: string, index: number): string {
  return join(turnFolder, "before", String(index));
}

function own(path: string, record: RedoRecord): void {
  if (record.owner) lchownSync(path, record.owner.uid, record.owner.gid);
}

function remove(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) rmdirSync(path);
  else if (stat) unlinkSync(path);
}
