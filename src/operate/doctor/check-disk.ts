import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "#core/errors";
import { withScratchFolder } from "#core/machine";
import { type DoctorCheck, doctorCheck } from "#core/shapes";
import { type Clock } from "#core/values";

const rounds = 25;

/** Writes where sessions will be written, and says what a sync costs there: every announced effect waits for one. */
export const checkDisk: DoctorCheck = doctorCheck({
  id: "disk",
  title: "Disk",
  run: async ({ root, clock }) => {
    const place = root === undefined ? tmpdir() : join(root, "planes");
    try {
      const cost = await withScratchFolder(place, (folder) => medianSync(folder, clock));
      const words =
        cost < 0.05
          ? "; so fast that it may not reach the disk"
          : cost > 20
            ? "; slow: single requests will feel it"
            : "";
      return { health: "works", found: `${place} is writable, a sync costs ${cost.toFixed(2)} ms${words}` };
    } catch (thrown) {
      return {
        health: "broken",
        found: `cannot write in ${place}: ${messageOf(thrown)}`,
        why: "nothing can be recorded, so nothing may run",
        cause: "not writable",
      };
    }
  },
  remedy: () => "make the folder writable for this user, or choose another workspace",
});

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
