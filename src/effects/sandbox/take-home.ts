import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { holdLiveness } from "#core/database";
import type { Random } from "#core/values";

/** The folder that holds the sandboxes of one process. It belongs to the process until that ends. */
export interface SandboxHome {
  readonly folder: string;
  release(): void;
}

const lockSuffix = ".lock";

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

function remove(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Folders without permissions, or nested deeper than the longest path: `rm` descends by descriptor.
    spawnSync("/bin/sh", ["-c", 'chmod -R u+rwx "$1"; rm -rf "$1"', "sh", folder], { env: {}, stdio: "ignore" });
  }
  return !existsSync(folder);
}
