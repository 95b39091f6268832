import { constants, type Dirent, lstatSync, openSync, readdirSync, type Stats } from "node:fs";
import { codeOfError } from "#core/errors";
import { hashFile } from "../turns/files/hash-file.ts";
import { entriesIn, type FileView } from "../turns/layer/file-view.ts";
import type { Realized, RealizedWrite } from "../turns/realized.ts";
import type { TurnLimits } from "./limits.ts";

export interface ScanOptions {
  readonly upper: string;
  /** The workspace as the turn found it. */
  readonly base: FileView;
  /**
   * The merged tree as the turn left it: only there does a replaced folder differ from a changed one. Absent for a plain
   * folder beside the workspace, by way of which nothing can be removed.
   */
  readonly merged?: string;
  /** Folders of the layer that are not scanned, such as the turn's scratch. */
  readonly ignored: readonly string[];
  /** Paths that the turn could not see, and so could not remove. */
  readonly hidden: ReadonlySet<string>;
  readonly limits: Pick<TurnLimits, "layerBytes" | "layerFiles">;
}

/** Together with the path of the layer itself this stays below the kernel's limit. */
const maxPathBytes = 3800;

/**
 * The writes of a turn, read from the upper layer after every process in the sandbox is dead. The cost depends on the number
 * of writes: folders that the turn did not touch are not in the layer.
 */
export function scanLayer(options: ScanOptions): Realized {
  const writes: RealizedWrite[] = [];
  let bytes = 0;
  let overLimit: string | undefined;
  const full = () => {
    if (writes.length > options.limits.layerFiles) overLimit = `more than ${options.limits.layerFiles} files`;
    else if (bytes > options.limits.layerBytes) overLimit = `more than ${options.limits.layerBytes} bytes`;
    return overLimit !== undefined;
  };
  // An explicit stack: a turn can nest folders deeper than recursion goes.
  const folders: string[] = [""];
  for (let folder = folders.pop(); folder !== undefined && !full(); folder = folders.pop()) {
    const names = new Set<string>();
    const entries = entriesOf(join(options.upper, folder));
    if (typeof entries === "string") {
      writes.push({ kind: "refused", path: folder, why: entries });
      continue;
    }
    for (const entry of entries) {
      const name = entry.name.toString("utf8");
      const path = folder === "" ? name : `${folder}/${name}`;
      names.add(name);
      if (!Buffer.from(name, "utf8").equals(entry.name)) {
        writes.push({
          kind: "refused",
          path: `${folder}/${entry.name.toString("hex")} (hex)`,
          why: "its name is not UTF-8",
        });
        continue;
      }
      if (options.ignored.includes(path)) continue;
      if (Buffer.byteLength(path) > maxPathBytes) {
        writes.push({ kind: "refused", path: `${path.slice(0, 200)}…`, why: "nested deeper than a path can say" });
        continue;
      }
      const stat = lstatSync(join(options.upper, path));
      const before = lstatSync(options.base.at(path), { throwIfNoEntry: false });
      if (stat.isDirectory()) {
        folders.push(path);
        const existed = before?.isDirectory() ?? false;
        if (before !== undefined && !existed)
          writes.push({ kind: "refused", path, why: "a folder stands where a file was" });
        else if (before === undefined || modeOf(before) !== modeOf(stat))
          writes.push({ kind: "folder", path, mode: modeOf(stat), existed });
        continue;
      }
      if (isWhiteout(stat)) {
        // A whiteout over nothing: the file was made and removed again, or was hidden from the turn.
        if (before !== undefined && !isHidden(options.hidden, path))
          writes.push(...deletions(options.base, path, before));
        continue;
      }
      const why = refusal(stat, before);
      if (why !== undefined) {
        writes.push({ kind: "refused", path, why });
        continue;
      }
      bytes += stat.size;
      if (full()) break;
      const descriptor = openForReading(join(options.upper, path));
      if (descriptor === undefined) {
        writes.push({ kind: "refused", path, why: "a file that its owner may not read" });
        continue;
      }
      const hash = hashFile(descriptor);
      writes.push({ kind: "write", path, hash, size: stat.size, mode: modeOf(stat), existed: before !== undefined });
    }
    if (folder !== "" && !full()) writes.push(...replaced(options, folder, names));
  }
  return overLimit === undefined ? { writes } : { writes, overLimit };
}

/** Files that vanished because their folder was removed and made anew: the layer holds no whiteout for them. */
function replaced(options: ScanOptions, folder: string, inLayer: ReadonlySet<string>): readonly RealizedWrite[] {
  if (options.merged === undefined || isHidden(options.hidden, folder)) return [];
  // The workspace itself may change meanwhile: a file that another process removed is no deletion of this turn.
  const stood = entriesIn(options.base, folder);
  if (stood === undefined) return [];
  const after = new Set(readdirSync(join(options.merged, folder)));
  const gone = stood.filter(
    ({ name }) => !after.has(name) && !inLayer.has(name) && !options.hidden.has(`${folder}/${name}`),
  );
  return gone.flatMap(({ name }) => {
    const path = `${folder}/${name}`;
    const stat = lstatSync(options.base.at(path), { throwIfNoEntry: false });
    return stat ? deletions(options.base, path, stat) : [];
  });
}

function isHidden(hidden: ReadonlySet<string>, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, index) => hidden.has(parts.slice(0, index + 1).join("/")));
}

/** One whiteout may stand for a whole folder; each file of it is a delete of its own. */
function deletions(base: FileView, path: string, stat: Stats): readonly RealizedWrite[] {
  if (!stat.isDirectory()) return [{ kind: "delete", path }];
  const below = (entriesIn(base, path) ?? []).flatMap(({ name }) => {
    const inner = lstatSync(base.at(`${path}/${name}`), { throwIfNoEntry: false });
    return inner ? deletions(base, `${path}/${name}`, inner) : [];
  });
  return [...below, { kind: "delete", path }];
}

function refusal(stat: Stats, before: Stats | undefined): string | undefined {
  if (stat.isSymbolicLink()) return "a symbolic link";
  if (!stat.isFile()) return "neither a file nor a folder";
  if (stat.nlink > 1) return "a hard link";
  if ((stat.mode & 0o7000) !== 0) return "a setuid, setgid or sticky file";
  if (before?.isDirectory()) return "a file stands where a folder was";
  return undefined;
}

function isWhiteout(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.rdev === 0;
}

function modeOf(stat: Stats): number {
  return stat.mode & 0o7777;
}

/** Entries of a folder, or why they cannot be read: a turn may nest too deep or remove the permissions. */
function entriesOf(folder: string): readonly Dirent<Buffer>[] | string {
  try {
    return readdirSync(folder, { encoding: "buffer", withFileTypes: true });
  } catch (thrown) {
    const code = codeOfError(thrown);
    if (code === "ENAMETOOLONG") return "nested deeper than a path can say";
    if (code === "EACCES") return "a folder that its owner may not list";
    throw thrown;
  }
}

function openForReading(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (codeOfError(thrown) === "EACCES") return undefined;
    throw thrown;
  }
}

function join(folder: string, path: string): string {
  return path === "" ? folder : `${folder}/${path}`;
}
