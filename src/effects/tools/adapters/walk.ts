import type { Dirent, Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { codeOfError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { ReadPolicy } from "#governance";
import type { Mandate } from "#governance/mandate";
import type { FileView } from "../../turns/layer/file-view.ts";
import { fileError } from "./file-errors.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";

export interface WalkEntry {
  readonly path: string;
  readonly type: "file" | "folder" | "link" | "other";
  readonly folder: Pick<HeldFolder, "at">;
  readonly name: string;
}

export interface WalkOptions {
  readonly root: string;
  /** What the order has written is visited in place of what the workspace holds. */
  readonly view?: FileView | undefined;
  /** Folder to begin at; "" is the workspace. */
  readonly start: string;
  /** Number of levels; 1 is the first folder alone. */
  readonly depth: number;
  /** A path that this rule forbids is neither visited nor entered. */
  readonly whyUnreadable: ReadPolicy;
  /** A file that it does not let be read is not visited, nor a folder that holds no other. */
  readonly mandate: Mandate;
  readonly signal: AbortSignal;
  /** Called per entry, in order of name; the answer `"stop"` ends the walk. */
  readonly visit: (entry: WalkEntry) => Promise<"on" | "stop">;
}

/** The most entries that one walk looks at, since a tree may be of any size. */
const maxSeen = 50_000;

/** Large folders that a search rarely means, skipped unless the walk begins inside. */
const skipped = new Set([".git", "node_modules"]);

/**
 * Visits what lies below a folder, in order of name, following no link and entering no secret place.
 * Returns whether entries were left out because of a limit, and whether there were folders too deep to enter.
 */
export async function walk(
  options: WalkOptions,
): Promise<Result<{ readonly truncated: boolean; readonly tooDeep: boolean }>> {
  const state = { left: maxSeen, truncated: false, tooDeep: false, stopped: false };
  const walked = await walkFolder(options, options.start === "" ? [] : options.start.split("/"), 1, state);
  return walked.ok ? ok({ truncated: state.truncated || state.stopped, tooDeep: state.tooDeep }) : walked;
}

interface WalkState {
  left: number;
  truncated: boolean;
  tooDeep: boolean;
  stopped: boolean;
}

async function walkFolder(
  options: WalkOptions,
  parts: readonly string[],
  depth: number,
  state: WalkState,
): Promise<Result<void>> {
  const layered = await layeredEntries(options, parts.join("/"));
  if (layered === "deleted") return depth === 1 ? err(fileError(notThere, parts.join("/"))) : ok(undefined);
  const folder = await holdFolder(options.root, parts);
  if (!folder.ok && !layered.isFolder) return depth === 1 ? folder : ok(undefined); // gone or replaced since it was seen
  try {
    const own = folder.ok ? await namesIn(folder.value, state) : [];
    const entries = [
      ...own.flatMap((entry) =>
        folder.ok && !layered.changed.has(entry.name) ? [{ name: entry.name, entry, folder: folder.value }] : [],
      ),
      ...layered.entries,
    ].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, entry, folder: where } of entries) {
      if (state.stopped || options.signal.aborted) break;
      const path = [...parts, name].join("/");
      if (options.whyUnreadable(path) !== undefined || name.startsWith(".writ-")) continue;
      const type = typeOf(entry);
      if (!isReadable(options.mandate, path, type)) continue;
      const verdict = await options.visit({ path, type, folder: where, name });
      if (verdict === "stop") state.stopped = true;
      if (verdict === "stop" || type !== "folder" || skipped.has(name)) continue;
      if (depth >= options.depth) state.tooDeep = true;
      else await walkFolder(options, [...parts, name], depth + 1, state);
    }
    return ok(undefined);
  } catch (thrown) {
    return err(fileError(thrown, parts.join("/")));
  } finally {
    if (folder.ok) await folder.value.close();
  }
}

const notThere = Object.assign(new Error("not there"), { code: "ENOENT" });
const unchanged: ReadonlyMap<string, null> = new Map();

interface LayeredFolder {
  /** The order made the folder. */
  readonly isFolder: boolean;
  readonly changed: ReadonlyMap<string, string | null>;
  readonly entries: readonly {
    readonly name: string;
    readonly entry: Stats;
    readonly folder: Pick<HeldFolder, "at">;
  }[];
}

/** What the order changed directly in a folder. */
async function layeredEntries({ view }: WalkOptions, folder: string): Promise<LayeredFolder | "deleted"> {
  if (!view) return { isFolder: false, changed: unchanged, entries: [] };
  const stat = view.commitOf(folder) === undefined ? undefined : await statOf(view.at(folder));
  if (view.commitOf(folder) !== undefined && !stat) return "deleted";
  const changed = view.changedIn(folder);
  const entries: LayeredFolder["entries"][number][] = [];
  for (const [name, at] of changed) {
    const entry = at === null ? undefined : await statOf(at);
    if (entry && at !== null) entries.push({ name, entry, folder: { at: () => at } });
  }
  return { isFolder: stat?.isDirectory() ?? false, changed, entries };
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

function isReadable(mandate: Mandate, path: string, type: WalkEntry["type"]): boolean {
  if (type === "folder") return mandate.readsBelow(path) !== "none";
  return mandate.decide({ kind: "read", path }).allowed;
}

async function namesIn(folder: HeldFolder, state: WalkState): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder.at("."))) {
    if (state.left-- <= 0) {
      state.truncated = true;
      break;
    }
    entries.push(entry);
  }
  return entries;
}

function typeOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): WalkEntry["type"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}
