import type { Sqlite } from "#core/database";
import { type Clock, err, ok } from "#core/values";
import type { KernelArchive } from "../port.ts";
import { writeOf } from "./sql.ts";
import { storeFailure } from "./store-failure.ts";

/** How many rows one transaction deletes: about 20 ms here, so that other writers wait only briefly for the lock. */
const chunk = 5_000;

export function createArchive(database: Sqlite, tenant: string, clock: Clock): KernelArchive {
  const mark = writeOf(database, "mark-archived");
  const finish = writeOf(database, "finish-archive");
  const drops = ["drop-events", "drop-dependencies", "drop-patches", "drop-revisions", "drop-work"].map((name) =>
    writeOf(database, name),
  );
  return {
    mark: (runId, ref) => attempt(() => mark.run(ref, tenant, runId).changes === 1),
    dropSome: (runId) =>
      attempt(() => {
        for (const drop of drops) if (drop.run({ run: runId, tenant, chunk }).changes > 0) return false;
        finish.run(clock.now(), tenant, runId);
        return true;
      }),
  };
}

function attempt(change: () => boolean): ReturnType<KernelArchive["mark"]> {
  try {
    return Promise.resolve(ok(change()));
  } catch (thrown) {
    return Promise.resolve(err(storeFailure(thrown)));
  }
}
