import { type BigIntStats, lstatSync } from "node:fs";
import { isMissing } from "#core/errors";

/** What the file system says about a path without reading it. */
export interface StatMark {
  readonly type: "file" | "folder" | "link" | "other" | "missing";
  /** Changes whenever the file does: a program that writes the file cannot set its change time (ctime) back. */
  readonly text: string;
  readonly changedMs: number;
  readonly executable: boolean;
  /** What `text` was made of; undefined where nothing is. */
  readonly found: Pick<BigIntStats, "ino" | "size" | "mtimeNs" | "ctimeNs" | "mode"> | undefined;
}

/** Change times move in steps of a few milliseconds, so what changed just now may change again unseen. */
export const settleMs = 100;

export function statMark(path: string): StatMark {
  const found = look(path);
  if (!found) return { type: "missing", text: "", changedMs: 0, executable: false, found };
  return {
    type: found.isFile() ? "file" : found.isDirectory() ? "folder" : found.isSymbolicLink() ? "link" : "other",
    text: `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.mode}`,
    changedMs: Number(found.ctimeNs / 1_000_000n),
    executable: (found.mode & 0o100n) !== 0n,
    found,
  };
}

/** Whether a path has this mark now, without making another one: it is asked of every governed file before and after every flow. */
export function hasMark(path: string, { found: before }: StatMark): boolean {
  const now = look(path);
  if (!now || !before) return now === before;
  return (
    now.ctimeNs === before.ctimeNs &&
    now.mtimeNs === before.mtimeNs &&
    now.ino === before.ino &&
    now.size === before.size &&
    now.mode === before.mode
  );
}

/** Below something that is no folder there is nothing either, which `throwIfNoEntry` alone would throw. */
function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}
