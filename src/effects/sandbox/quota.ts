import { readdirSync, readFileSync, readlinkSync, type Stats, type StatsFs, statfsSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import type { TurnLimits } from "./limits.ts";

/**
 * What holds a turn's layer to its size.
 * - `memory`: the layer is a file system of its own in memory, with a size in blocks and a number of files. The kernel refuses
 *   what goes beyond, whatever names it has or had.
 * - `watched`: the layer lies on the disk, and a turn that has written too much is ended a moment later. Counted are the blocks
 *   of what lies in the layer and of what its processes hold open without a name.
 */
export type LayerQuota = "memory" | "watched";

/** More than this share of the machine's memory is not promised to one turn. */
const largestShare = 0.5;

/** Where the layer's limit is larger than the memory at hand, the disk takes it and is watched. */
export function quotaFor(layerBytes: number): LayerQuota {
  return layerBytes <= totalmem() * largestShare ? "memory" : "watched";
}

/** Options of the file system that holds a layer. Folders, whiteouts and the overlay's own files need names too. */
export function spaceOptions({ layerBytes, layerFiles }: Pick<TurnLimits, "layerBytes" | "layerFiles">): string {
  return `size=${layerBytes},nr_inodes=${layerFiles * 2 + 1000},mode=755`;
}

export interface WatchedLayer {
  readonly upper: string;
  readonly limits: Pick<TurnLimits, "layerBytes" | "layerFiles">;
  readonly quota: LayerQuota;
  /** The processes in the sandbox, as this machine numbers them. */
  readonly processes: () => readonly number[];
}

/**
 * Tells while the turn runs whether its layer has grown beyond its limits. A file system of the turn's own says so itself. On the
 * disk the layer is counted: the free space of a disk that others use too tells nothing about one turn.
 */
export function layerWatch({ upper, limits, quota, processes }: WatchedLayer): () => boolean {
  const before = statfsSync(upper);
  return () => {
    if (quota === "memory") {
      const now = spaceOf(upper);
      if (now === undefined) return false;
      const bytes = (before.bfree - now.bfree) * now.bsize;
      return bytes >= limits.layerBytes || before.ffree - now.ffree >= limits.layerFiles;
    }
    const named = countNamed(upper, limits);
    return named.files > limits.layerFiles || named.bytes + unnamedBytes(processes()) > limits.layerBytes;
  };
}

/** Undefined where the holder is gone (killed by the kernel for its memory, or by a person), and its file system with it. */
function spaceOf(upper: string): StatsFs | undefined {
  try {
    return statfsSync(upper);
  } catch {
    return undefined;
  }
}

function countNamed(upper: string, limits: WatchedLayer["limits"]): { readonly bytes: number; readonly files: number } {
  let bytes = 0;
  let files = 0;
  const folders = [upper];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        files += 1;
        if (entry.isDirectory()) folders.push(`${folder}/${entry.name}`);
        else if (entry.isFile()) bytes += (statSync(`${folder}/${entry.name}`).blocks ?? 0) * 512;
        if (bytes > limits.layerBytes || files > limits.layerFiles) return { bytes, files };
      }
    } catch {
      // Removed or made unreadable meanwhile; the scan after the turn is the one that counts.
    }
  }
  return { bytes, files };
}

/** Blocks of files that were unlinked and are still open or mapped: they have no name, and take space until they are closed. */
function unnamedBytes(processes: readonly number[]): number {
  const seen = new Map<string, number>();
  for (const pid of processes)
    for (const list of ["fd", "map_files"])
      for (const name of namesIn(`/proc/${pid}/${list}`)) {
        const stat = statOf(`/proc/${pid}/${list}/${name}`);
        if (stat?.isFile() && stat.nlink === 0 && !isScratch(`/proc/${pid}/${list}/${name}`))
          seen.set(String(stat.ino), (stat.blocks ?? 0) * 512);
      }
  return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Scratch in memory has a limit of its own. */
function isScratch(descriptor: string): boolean {
  try {
    return /^\/(tmp\/|dev\/shm\/|memfd:|SYSV|dev\/zero)/.test(readlinkSync(descriptor));
  } catch {
    return true; // closed meanwhile
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the process ended, or may not be looked into
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}

/** Every process below one, by the kernel's own list of children. */
export function descendantsOf(pid: number): readonly number[] {
  const found: number[] = [];
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const child of childrenOf(next)) {
      found.push(child);
      pending.push(child);
    }
  return found;
}

export function childrenOf(pid: number): readonly number[] {
  return namesIn(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
    } catch {
      return []; // it ended by itself
    }
  });
}
