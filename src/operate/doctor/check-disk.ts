import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "#core/errors";
import { hasRoomFor, isDiskFull, withScratchFolder } from "#core/machine";
import { type DoctorCheck, type DoctorSurroundings, doctorCheck } from "#core/shapes";
import { type Clock } from "#core/values";
import { loadConfig, type WritConfig } from "#workspace";

const rounds = 25;

/** Writes where sessions will be written, and says what a sync costs there: every announced effect waits for one. */
export const checkDisk: DoctorCheck = doctorCheck<"full" | "not writable">({
  id: "disk",
  title: "Disk",
  run: async (surroundings) => {
    const { root, clock } = surroundings;
    const place = root === undefined ? tmpdir() : join(root, "planes");
    try {
      const leastFree = (await configOf(surroundings))?.limits.free_disk_bytes ?? 0;
      const room = hasRoomFor(place, leastFree);
      if (!room.ok) return { health: "limited", found: room.error.message, why: "no new work begins", cause: "full" };
      const cost = await withScratchFolder(place, (folder) => medianSync(folder, clock));
      const words =
        cost < 0.05
          ? "; so fast that it may not reach the disk"
          : cost > 20
            ? "; slow: single requests will feel it"
            : "";
      return { health: "works", found: `${place} is writable, a sync costs ${cost.toFixed(2)} ms${words}` };
    } catch (thrown) {
      if (isDiskFull(thrown, place))
        return { health: "broken", found: `the disk of ${place} is full`, why: stopped, cause: "full" };
      return {
        health: "broken",
        found: `cannot write in ${place}: ${messageOf(thrown)}`,
        why: stopped,
        cause: "not writable",
      };
    }
  },
  remedy: (cause) =>
    cause === "full"
      ? "make room on this disk: nothing that was recorded is lost"
      : "make the folder writable for this user, or choose another workspace",
});

const stopped = "nothing can be recorded, so nothing may run";

async function configOf({ root, files, env }: DoctorSurroundings): Promise<WritConfig | undefined> {
  const config = root === undefined ? undefined : await loadConfig(root, files, env);
  return config?.ok ? config.value : undefined;
}

async function medianSync(folder: string, clock: Clock): Promise<number> {
  const handle = await open(join(folder, "sync"), "a");
  try {
    const costs: number[] = [];
    const line = "x".repeat(512);
    for (let round = 0; round < rounds; round++) {
      await handle.write(line);
      const before = clock.monotonic();
      await handle.datasync();
      costs.push(clock.monotonic() - before);
    }
    return costs.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  } finally {
    await handle.close();
  }
}
