import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { holdLiveness } from "#core/database";
import type { Random } from "#core/values";

/** The folder in which one process keeps its sandboxes. It is this process's own for as long as the process lives. */
export interface SandboxHome {
  readonly folder: string;
  release(): void;
}

const lockSuffix = ".lock";

/**
 * Takes a new folder below `base`, where all workspaces of a user have theirs, and removes those of processes that are gone.
 * A lock gets the name by which others find it only when it is held: whoever finds one that nobody holds may clear it away.
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
    // What cannot be removed yet, since a turn of the dead process still dies in it, is left to the next sweep.
    if (remove(file.slice(0, -lockSuffix.length))) rmSync(file, { force: true });
    lock.release();
  }
}

function remove(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Folders without permissions, or nested deeper than a path can say: `rm` descends by descriptor.
    spawnSync("/bin/sh", ["-c", 'chmod -R u+rwx "$1"; rm -rf "$1"', "sh", folder], { env: {}, stdio: "ignore" });
  }
  return !existsSync(folder);
}
