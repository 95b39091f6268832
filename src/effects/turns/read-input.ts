import { constants, lstatSync, openSync, readdirSync } from "node:fs";
import type { TurnStartedEventV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, sha256 } from "#core/values";
import { hashFile } from "./files/hash-file.ts";
import { unlessGone } from "./files/unless-gone.ts";

/** Content hash of a declared input when the turn began, and a stamp to detect a later change. */
export interface InputEvidence {
  readonly recorded: TurnStartedEventV1["inputs"][number];
  readonly stamp: string;
}

const maxFiles = 20_000;

export function readInput(root: string, path: string): Result<InputEvidence> {
  return (
    unlessGone(() => readWhole(root, path)) ??
    err(
      domainError("WRITE_CONFLICT", `the declared input ${path} changed while it was read; try again`, {
        details: { path },
      }),
    )
  );
}

function readWhole(root: string, path: string): Result<InputEvidence> {
  const stat = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
  if (stat?.isFile())
    return ok({ recorded: { path, sha256: hashOf(root, path), bytes: stat.size }, stamp: stampOf(root, [path]) });
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
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
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
  const whole = sha256(canonicalJson(files.map((file) => [file, hashOf(root, file)])));
  return ok({ recorded: { path, sha256: whole }, stamp: stampOf(root, files) });
}

/** True when the input has not changed since it was read. */
export function isInputUnchanged(root: string, input: InputEvidence): boolean {
  const paths = input.stamp.split("\n").map((line) => line.slice(line.indexOf(" ") + 1));
  return stampOf(root, paths) === input.stamp;
}

function stampOf(root: string, paths: readonly string[]): string {
  return paths
    .map((path) => {
      const stat = lstatSync(`${root}/${path}`, { bigint: true, throwIfNoEntry: false });
      return `${stat ? [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":") : "gone"} ${path}`;
    })
    .join("\n");
}

function hashOf(root: string, path: string): string {
  return hashFile(openSync(`${root}/${path}`, constants.O_RDONLY | constants.O_NOFOLLOW));
}
