import { constants, lstatSync, openSync } from "node:fs";
import type { Sha256 } from "#base";
import { hashFile } from "../files/hash-file.ts";

/** How a path stood when the turn began: enough to tell at commit whether someone else changed it meanwhile. */
export type BaseState =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly stamp: string; readonly hash: Sha256; readonly size: number }
  | { readonly kind: "other"; readonly stamp: string };

export function readBaseState(root: string, path: string): BaseState {
  const full = `${root}/${path}`;
  const stat = lstatSync(full, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return { kind: "absent" };
  const stamp = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(":");
  if (!stat.isFile()) return { kind: "other", stamp };
  const hash = hashFile(openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW));
  return { kind: "file", stamp, hash, size: Number(stat.size) };
}

/** True when the path still is what it was. A touched file with the same content is the same. */
export function isUnchanged(root: string, path: string, before: BaseState): boolean {
  const stat = lstatSync(`${root}/${path}`, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || before.kind === "absent") return stat === undefined && before.kind === "absent";
  const stamp = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(":");
  if (stamp === before.stamp) return true;
  const now = readBaseState(root, path);
  return now.kind === "file" && before.kind === "file" && now.hash === before.hash;
}
