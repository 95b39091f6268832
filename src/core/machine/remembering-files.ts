import { type BigIntStats, lstatSync, type Stats, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { type Clock } from "../values/clock.ts";
import { type FileEntry, type FileMark, type FileStat, type Files } from "../values/files.ts";
import { ok, type Result } from "../values/result.ts";
import { nodeFiles, typeOf } from "./node-files.ts";

/**
 * A file this young may change again without a new mtime (the kernel's clock ticks every 4 ms), so its content is not
 * cached.
 */
const settledMs = 50n;

interface Kept<T> {
  readonly stamp: string;
  readonly result: Result<T>;
}

/**
 * The same files, read again only when they changed. Contracts are read for every request and change rarely: a stat
 * costs 2 µs, reading the file 150. Contracts that Writ ships do not change while it runs and are read once; a workspace may lie
 * anywhere, also below or beside the installation, and is looked at every time.
 */
export function rememberingFiles(clock: Clock, installation: string): Files {
  const isPartOfWrit = shippedIn(installation);
  const texts = new Map<string, Kept<string>>();
  const lists = new Map<string, Kept<readonly FileEntry[]>>();
  const stats = new Map<string, Kept<FileStat | undefined>>();

  const readOnce = async <T>(
    kept: Map<string, Kept<T>>,
    path: string,
    read: () => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const isShipped = isPartOfWrit(path);
    const known = kept.get(path);
    if (known && isShipped) return known.result;
    const stamp = isShipped ? "shipped" : stampOf(path, clock);
    if (known && known.stamp === stamp) return known.result;
    const result = await read();
    // A file is cached only if it did not change while it was read.
    if (stamp !== undefined && (isShipped || stampOf(path, clock) === stamp)) kept.set(path, { stamp, result });
    else kept.delete(path);
    return result;
  };
  return {
    readText: (path, options) => readOnce(texts, path, () => nodeFiles.readText(path, options)),
    list: (folder) => readOnce(lists, folder, () => nodeFiles.list(folder)),
    stat: async (path) => {
      if (isPartOfWrit(path)) return readOnce(stats, path, () => nodeFiles.stat(path));
      const found = statOf(path, lstatSync);
      if (found === "unknown") return nodeFiles.stat(path);
      if (found === undefined) return ok(undefined);
      return ok({ type: typeOf(found), size: Number(found.size), modifiedMs: Number(found.mtimeNs) / 1e6 });
    },
    marks: { of: (path) => (isPartOfWrit(path) ? null : markOf(path, clock)), holds },
  };
}

const missing = "none";

/** Of a path that is not there, the topmost folder that is missing: as long as that is, everything below it is. */
function markOf(path: string, clock: Clock): FileMark | undefined {
  const found = lookAt(path);
  if (found === "unknown" || found?.isSymbolicLink()) return undefined; // what a link leads to may change, too
  if (found) return isYoung(found.mtimeMs, clock) ? undefined : { at: path, as: markText(found) };
  let at = path;
  for (let above = dirname(at); above !== at; above = dirname(above)) {
    const folder = lookAt(above);
    if (folder === "unknown") return undefined;
    if (folder) return { at, as: missing };
    at = above;
  }
  return undefined;
}

function holds({ at, as }: FileMark): boolean {
  const found = lookAt(at);
  return found !== "unknown" && as === (found ? markText(found) : missing);
}

function lookAt(path: string): Stats | undefined | "unknown" {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return "unknown";
  }
}

function markText({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Some file systems tell times in steps of two seconds. */
function isYoung(changedMs: number, clock: Clock): boolean {
  return clock.now() - changedMs < 2_000;
}

/** The folders of contracts in the package. */
const folders = ["schemas", "agents", "skills", "hooks", "frameworks", "registries", "workflows", "providers"];

function shippedIn(installation: string): (path: string) => boolean {
  const places = folders.map((name) => join(installation, name));
  return (path) => places.some((place) => path === place || path.startsWith(`${place}${sep}`));
}

/** Changes whenever the file does; undefined when the file is too young to tell, "none" when it does not exist. */
function stampOf(path: string, clock: Clock): string | undefined {
  const found = statOf(path, statSync);
  if (found === "unknown") return undefined;
  if (found === undefined) return "none";
  if (BigInt(Math.floor(clock.now())) - found.mtimeMs < settledMs) return undefined;
  return `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

function statOf(path: string, ask: typeof statSync): BigIntStats | undefined | "unknown" {
  try {
    return ask(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return "unknown"; // unreadable, or a parent is no folder: the read reports the reason
  }
}
