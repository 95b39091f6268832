import { chmodSync, fchownSync, fsyncSync, lchownSync, lstatSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { domainError, err, type Failpoint, ok, type Result } from "#base";
import { openFolder } from "../files/open-folder.ts";
import type { CommitStep, RedoRecord } from "./redo-record.ts";
import { syncFileSystem } from "./stage.ts";

/** Beyond this many steps one sync of the file system costs less than one for each folder. */
const syncEach = 16;

/** Carries out a redo record, from its first step or from wherever a crash left it. */
export async function applyCommit(
  root: string,
  turnFolder: string,
  record: RedoRecord,
  failpoint: Failpoint,
): Promise<Result<void>> {
  for (const [index, step] of record.steps.entries()) {
    const done = applyStep(root, turnFolder, record, step);
    if (!done.ok) return done;
    failpoint(`turn.commit.step.${index}`);
  }
  if (record.steps.length > syncEach) await syncFileSystem(root);
  return ok(undefined);
}

function applyStep(root: string, turnFolder: string, record: RedoRecord, step: CommitStep): Result<void> {
  const parts = step.path.split("/");
  const above = step.op === "folder" ? parts : parts.slice(0, -1);
  const folder = openFolder(root, above, step.op === "delete" ? undefined : (made) => own(made, record));
  if (folder === null) {
    if (step.op === "delete") return ok(undefined);
    return err(
      domainError(
        "WRITE_CONFLICT",
        `${step.path} cannot be committed: a part of ${dirname(step.path)} is no longer a folder`,
        {
          details: { path: step.path },
        },
      ),
    );
  }
  try {
    const target = folder.at(basename(step.path));
    switch (step.op) {
      case "folder":
        chmodSync(`/proc/self/fd/${folder.descriptor}`, step.mode);
        if (record.owner) fchownSync(folder.descriptor, record.owner.uid, record.owner.gid);
        break;
      case "write": {
        const staged = join(turnFolder, "staged", step.staged);
        // Gone from the stage means that a run before the crash had put it into place.
        if (lstatSync(staged, { throwIfNoEntry: false })) renameSync(staged, target);
        break;
      }
      case "delete":
        remove(target);
        break;
    }
    if (record.steps.length <= syncEach) fsyncSync(folder.descriptor);
    return ok(undefined);
  } finally {
    folder.close();
  }
}

function own(path: string, record: RedoRecord): void {
  if (record.owner) lchownSync(path, record.owner.uid, record.owner.gid);
}

function remove(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) rmdirSync(path);
  else if (stat) unlinkSync(path);
}
