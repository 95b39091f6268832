import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { holdLiveness } from "#core/database";
import { removeTree } from "#core/machine";
import type { Random } from "#core/values";
import { isSlotMountPoint } from "./slot.ts";

/** The folder that holds the sandboxes of one process. It belongs to the process until that ends. */
export interface SandboxHome {
  readonly folder: string;
  release(): void;
}

const lockSuffix = ".lock";
/** Where it is tried whether the workspace can be shown under other ids. */
export const shiftTrial = "shift";

/**
 * Makes a new folder below `base`, which all workspaces of a user share, and removes those of processes that are gone. A lock
 * gets its final name only when it is held, so that a process which finds a free lock may remove it.
 */
export function takeHome(base: string, random: Random): SandboxHome {
  sweep(base);
  const name = Buffer.from(random.bytes(12)).toString("hex");
  const folder = join(base, name);
  const file = join(base, `${name}${lockSuffix}`);
  const lock = holdLiveness(`${file}.new`);
  renameSync(`${file}.new`, file);
  mkdirSync(folder, { mode: 0o711 });
  return {
    folder,
    release() {
      if (remove(folder)) rmSync(file, { force: true });
      lock?.release();
    },
  };
}

function sweep(base: string): void {
  for (const entry of readdirSync(base)) {
    if (!entry.endsWith(lockSuffix)) continue;
    const file = join(base, entry);
    const lock = holdLiveness(file);
    if (lock === undefined) continue;
    // A folder that cannot be removed yet, since a turn of the dead process is still ending in it, is left to the next sweep.
    if (remove(file.slice(0, -lockSuffix.length))) rmSync(file, { force: true });
    lock.release();
  }
}

/** True when nothing is left of it. */
function remove(folder: string): boolean {
  return removeTree(folder, { isMountPoint: isHomeMountPoint }).length === 0;
}

/** The folders of a home on which something was mounted: the trial of an id-mapped view, and those of its slots. */
function isHomeMountPoint(path: string): boolean {
  const [top = "", ...rest] = path.split("/");
  return rest.length === 0 ? top === shiftTrial : isSlotMountPoint(rest.join("/"));
}
