import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { unlessGone } from "../files/unless-gone.ts";

/** The workspace as one order sees it: its own files, and over them what the order has written and not landed yet. */
export interface FileView {
  /** The workspace, absolute. */
  readonly root: string;
  /** Where a path lies now; a place where nothing is, when the order has deleted it. */
  at(path: string): string;
  /** The names directly in a folder that layers change: where each lies, or null where it is deleted. */
  changedIn(folder: string): ReadonlyMap<string, string | null>;
  /** Every path that a layer changes, folders before what is in them. */
  readonly changed: readonly string[];
  /** The number of the commit that put the path into a layer; undefined where the workspace's own file is seen. */
  commitOf(path: string): number | undefined;
  /** The number of the latest commit into any layer of this process. */
  readonly commits: number;
}

const nothing: ReadonlyMap<string, null> = new Map();

/** The workspace itself, without a layer. */
export function workspaceView(root: string): FileView {
  return {
    root,
    commits: 0,
    changed: [],
    at: (path) => (path === "" ? root : `${root}/${path}`),
    changedIn: () => nothing,
    commitOf: () => undefined,
  };
}

export type ViewEntry = Pick<Dirent, "name" | "isFile" | "isDirectory" | "isSymbolicLink">;

/** Entries of a folder as the order sees it; none where the folder is gone. */
export function entriesIn(view: FileView, folder: string): readonly ViewEntry[] | undefined {
  const stat = lstatSync(view.at(folder), { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return undefined;
  const own = folder === "" ? view.root : `${view.root}/${folder}`;
  const changed = view.changedIn(folder);
  const entries: ViewEntry[] = [];
  for (const entry of unlessGone(() => readdirSync(own, { withFileTypes: true })) ?? [])
    if (!changed.has(entry.name)) entries.push(entry);
  for (const [name, at] of changed) {
    const found = at === null ? undefined : lstatSync(at, { throwIfNoEntry: false });
    if (found) entries.push(Object.assign(found, { name }));
  }
  return entries;
}
