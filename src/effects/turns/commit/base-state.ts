import { constants, lstatSync, openSync } from "node:fs";
import type { Sha256 } from "#core/values";
import { hashFile } from "../files/hash-file.ts";
import { unlessGone } from "../files/unless-gone.ts";
import { entriesIn, type FileView } from "../layer/file-view.ts";

/** State of a path when the turn began: enough to detect at commit that another process changed it meanwhile. */
export type BaseState =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly stamp: string; readonly hash: Sha256 }
  | { readonly kind: "other"; readonly stamp: string };

/** The states of a turn's declared outputs; a path in a declared folder that is not in the map did not exist. */
export interface Bases {
  of(path: string): BaseState;
}

export function readBases(
  view: FileView,
  outputs: readonly { readonly path: string; readonly folder: boolean }[],
): Bases {
  const states = new Map<string, BaseState>();
  const folders: string[] = [];
  for (const { path, folder } of outputs) {
    if (folder) folders.push(path);
    else states.set(path, readBaseState(view, path));
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesIn(view, folder) ?? []) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else states.set(path, { kind: "other", stamp: stampOf(view, path) ?? "" });
    }
  }
  return { of: (path) => states.get(path) ?? { kind: "absent" } };
}

/**
 * For outputs that were not declared beforehand: a path whose inode changed after the turn began was changed by another
 * process, and a path that was committed into the order's layer since then by another turn, because the turn itself wrote
 * only into its own.
 */
export function basesSince(view: FileView, began: { readonly at: number; readonly commits: number }): Bases {
  return {
    of(path) {
      const commit = view.commitOf(path);
      const stat = commit === undefined ? lstatSync(view.at(path), { throwIfNoEntry: false }) : undefined;
      if (commit === undefined ? stat !== undefined && stat.ctimeMs >= began.at : commit > began.commits)
        return { kind: "other", stamp: "changed since" };
      return readBaseState(view, path);
    },
  };
}

export function readBaseState(view: FileView, path: string): BaseState {
  const full = view.at(path);
  const stat = lstatSync(full, { throwIfNoEntry: false });
  const stamp = stampOf(view, path);
  if (stat === undefined || stamp === undefined) return { kind: "absent" };
  if (!stat.isFile()) return { kind: "other", stamp };
  const hash = unlessGone(() => hashFile(openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW)));
  return hash === undefined ? { kind: "other", stamp } : { kind: "file", stamp, hash };
}

/** True when the path is unchanged. A touched file with the same content is unchanged. */
export function isUnchanged(view: FileView, path: string, before: BaseState): boolean {
  const stamp = stampOf(view, path);
  if (stamp === undefined || before.kind === "absent") return stamp === undefined && before.kind === "absent";
  if (stamp === before.stamp) return true;
  const now = readBaseState(view, path);
  return now.kind === "file" && before.kind === "file" && now.hash === before.hash;
}

function stampOf(view: FileView, path: string): string | undefined {
  const stat = lstatSync(view.at(path), { bigint: true, throwIfNoEntry: false });
  return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(":");
}
