import { constants, lstatSync, openSync } from "node:fs";
import type { TurnStartedEventV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, sha256 } from "#core/values";
import { hashFile } from "./files/hash-file.ts";
import { unlessGone } from "./files/unless-gone.ts";
import { entriesIn, type FileView } from "./layer/file-view.ts";

/** Content hash of a declared input when the turn began, and a stamp to detect a later change. */
export interface InputEvidence {
  readonly recorded: TurnStartedEventV1["inputs"][number];
  readonly stamp: string;
}

const maxFiles = 20_000;

export function readInput(view: FileView, path: string): Result<InputEvidence> {
  return unlessGone(() => readWhole(view, path)) ?? changedMeanwhile(path);
}

function changedMeanwhile(path: string): Result<never> {
  return err(
    domainError("WRITE_CONFLICT", `the declared input ${path} changed while it was read; try again`, {
      details: { path },
    }),
  );
}

function readWhole(view: FileView, path: string): Result<InputEvidence> {
  const stat = lstatSync(view.at(path), { throwIfNoEntry: false });
  if (stat?.isFile())
    return ok({ recorded: { path, sha256: hashOf(view, path), bytes: stat.size }, stamp: stampOf(view, [path]) });
  if (!stat?.isDirectory())
    return err(
      domainError(
        "NOT_FOUND",
        `the declared input ${path} ${stat ? "is neither a file nor a folder" : "does not exist"}`,
        { details: { path } },
      ),
    );
  const files: string[] = [];
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = entriesIn(view, folder);
    if (entries === undefined) return changedMeanwhile(path);
    for (const entry of entries) {
      if (entry.isDirectory()) folders.push(`${folder}/${entry.name}`);
      else if (entry.isFile()) files.push(`${folder}/${entry.name}`);
    }
    if (files.length > maxFiles)
      return err(
        domainError("TURN_LIMIT", `the declared input ${path} holds more than ${maxFiles} files; declare fewer`, {
          details: { path },
        }),
      );
  }
  files.sort();
  // A folder's hash is that of its files' paths and hashes, in order.
  const whole = sha256(canonicalJson(files.map((file) => [file, hashOf(view, file)])));
  return ok({ recorded: { path, sha256: whole }, stamp: stampOf(view, files) });
}

/** True when the input has not changed since it was read. */
export function isInputUnchanged(view: FileView, input: InputEvidence): boolean {
  const paths = input.stamp.split("\n").map((line) => line.slice(line.indexOf(" ") + 1));
  return stampOf(view, paths) === input.stamp;
}

function stampOf(view: FileView, paths: readonly string[]): string {
  return paths
    .map((path) => {
      const stat = lstatSync(view.at(path), { bigint: true, throwIfNoEntry: false });
      return `${stat ? [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":") : "gone"} ${path}`;
    })
    .join("\n");
}

function hashOf(view: FileView, path: string): string {
  return hashFile(openSync(view.at(path), constants.O_RDONLY | constants.O_NOFOLLOW));
}
