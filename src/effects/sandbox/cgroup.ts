import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Control groups, where Writ is root and the machine lets it make some: they bound a turn as a whole, where limits of
 * processes bound each alone, and they hold for root's id too, which the number of processes does not.
 */
export interface Cgroups {
  /** Makes the groups of one sandbox; a process joins by writing 0 to these files. */
  make(name: string): Cgroup | undefined;
}

export interface Cgroup {
  readonly joinFiles: readonly string[];
  limit(limits: { readonly processes: number; readonly memoryBytes: number }): void;
  drop(): void;
}

/** The holder, bubblewrap and pid 1 count too. */
const ownProcesses = 8;

export function findCgroups(): Cgroups | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const v1 = { pids: "/sys/fs/cgroup/pids", memory: "/sys/fs/cgroup/memory" };
  const controllers = existsSync(v1.pids) ? v1 : unified();
  if (controllers === undefined) return undefined;
  // Version 1 lets a thread move itself through `tasks`; moving a process makes the kernel wait for every processor (10 to 16 ms).
  const files = existsSync(v1.pids)
    ? { join: "tasks", processes: "pids.max", memory: "memory.limit_in_bytes" }
    : { join: "cgroup.procs", processes: "pids.max", memory: "memory.max" };
  return {
    make(name) {
      const folders = [...new Set(Object.values(controllers))].map((base) => join(base, `writ-${name}`));
      if (!folders.every((folder) => tried(() => mkdirSync(folder)))) return undefined;
      const set = (file: string, value: number) => {
        for (const folder of folders)
          if (existsSync(join(folder, file))) tried(() => writeFileSync(join(folder, file), String(value)));
      };
      return {
        joinFiles: folders.map((folder) => join(folder, files.join)),
        limit(limits) {
          set(files.processes, limits.processes + ownProcesses);
          set(files.memory, limits.memoryBytes);
        },
        drop: () => {
          for (const folder of folders) tried(() => rmdirSync(folder));
        },
      };
    },
  };
}

/** Version 2: one tree, whose controllers must be handed down first. */
function unified(): { readonly pids: string; readonly memory: string } | undefined {
  const base = "/sys/fs/cgroup";
  if (!existsSync(join(base, "cgroup.subtree_control"))) return undefined;
  if (!tried(() => writeFileSync(join(base, "cgroup.subtree_control"), "+pids +memory"))) return undefined;
  return readFileSync(join(base, "cgroup.subtree_control"), "utf8").includes("pids")
    ? { pids: base, memory: base }
    : undefined;
}

function tried(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false; // a machine that does not let us is one without groups: the limits of processes remain
  }
}
