import { lstatSync } from "node:fs";

/** What the file system says about a path without reading it. */
export interface StatMark {
  readonly type: "file" | "folder" | "link" | "other" | "missing";
  /** Changes whenever the file does: the change time cannot be set back by whoever writes the file. */
  readonly text: string;
  readonly changedMs: number;
  readonly executable: boolean;
}

/** Change times move in steps of a few milliseconds, so what changed just now may change again unseen. */
export const settleMs = 100;

export function statMark(path: string): StatMark {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!found) return { type: "missing", text: "", changedMs: 0, executable: false };
  return {
    type: found.isFile() ? "file" : found.isDirectory() ? "folder" : found.isSymbolicLink() ? "link" : "other",
    text: `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.mode}`,
    changedMs: Number(found.ctimeNs / 1_000_000n),
    executable: (found.mode & 0o100n) !== 0n,
  };
}
