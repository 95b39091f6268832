import { constants, lstatSync, openSync, readdirSync } from "node:fs";
import type { Sha256 } from "#core/values";
import { hashFile } from "../files/hash-file.ts";
import { unlessGone } from "../files/unless-gone.ts";

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
  root: string,
  outputs: readonly { readonly path: string; readonly folder: boolean }[],
): Bases {
  const states = new Map<string, BaseState>();
  const folders: string[] = [];
  for (const { path, folder } of outputs) {
    if (folder) folders.push(path);
    else states.set(path, readBaseState(root, path));
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (!lstatSync(`${root}/${folder}`, { throwIfNoEntry: false })?.isDirectory()) continue;
    const entries = unlessGone(() => readdirSync(`${root}/${folder}`, { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else states.set(path, { kind: "other", stamp: stampOf(root, path) ?? "" });
    }
  }
  return { of: (path) => states.get(path) ?? { kind: "absent" } };
}

/**
 * For outputs that were not declared beforehand: a path whose inode changed after the turn began was changed by another
 * process, because the turn itself wrote only into its layer.
 */
export function basesSince(root: string, startedAt: number): Bases {
  return {
    of(path) {
      const stat = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
      if (stat !== undefined && stat.ctimeMs >= startedAt) return { kind: "other", stamp: "changed since" };
      return readBaseState(root, path);
    },
  };
}

export function readBaseState(root: string, path: string): BaseState {
  const full = `${root}/${path}`;
  const stat = lstatSync(full, { throwIfNoEntry: false });
  const stamp = stampOf(root, path);
  if (stat === undefined || stamp === undefined) return { kind: "absent" };
  if (!stat.isFile()) return { kind: "other", stamp };
  const hash = unlessGone(() => hashFile(openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW)));
  return hash === undefined ? { kind: "other", stamp } : { kind: "file", stamp, hash };
}

/** True when the path is unchanged. A touched file with the same content is unchanged. */
export function isUnchanged(root: string, path: string, before: BaseState): boolean {
  const stamp = stampOf(root, path);
  if (stamp === undefined || before.kind === "absent") return stamp === undefined && before.kind === "absent";
  if (stamp === before.stamp) return true;
  const now = readBaseState(root, path);
  return now.kind === "file" && before.kind === "file" && now.hash === before.hash;
}

function stampOf(root: string, path: string): string | undefined {
  const stat = lstatSync(`${root}/${path}`, { bigint: true, throwIfNoEntry: false });
  return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(":");
}
