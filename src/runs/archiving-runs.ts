import { type DomainError } from "#core/errors";
import { type Clock, sleep } from "#core/values";
import { archiveClosedRuns } from "./kernel/archive-run.ts";
import { type Documents } from "./kernel/documents.ts";
import { type Kernel } from "./kernel/kernel.ts";

const batch = 100;

/** Runs a conductor and beside it archives runs that closed long ago: at once, and then every hour. */
export async function archivingOldRuns<T>(
  place: {
    readonly kernel: Kernel;
    readonly documents: Documents;
    readonly clock: Clock;
    /** How long a closed run stays in the tables; undefined keeps it for good. */
    readonly closedForMs: number | undefined;
    readonly everyMs?: number;
    readonly onProblem?: (problem: DomainError) => void;
  },
  work: () => Promise<T>,
): Promise<T> {
  const { kernel, documents, clock, closedForMs } = place;
  if (closedForMs === undefined) return work();
  const over = new AbortController();
  const archiving = (async () => {
    do {
      for (let archived = batch; archived === batch && !over.signal.aborted; ) {
        const done = await archiveClosedRuns(kernel, documents, { closedForMs, limit: batch });
        if (!done.ok) place.onProblem?.(done.error);
        archived = done.ok ? done.value.length : 0;
      }
    } while (await sleep(clock, place.everyMs ?? 3_600_000, over.signal));
  })();
  try {
    return await work();
  } finally {
    over.abort();
    await archiving;
  }
}
