import type { EventLogV1, RunV1 } from "#core/contracts";
import { ok, type Result, type RunId } from "#core/values";
import type { Kernel } from "../kernel/kernel.ts";

const page = 1_000;
/** Other processes send no wake-up to this one, so the run is polled as well. */
const lookMs = 100;

/** Passes each new event of a run to the listener until the run is closed or the signal aborts. */
export async function followRun(
  kernel: Kernel,
  runId: RunId,
  options: { readonly signal: AbortSignal; readonly onEvent: (event: EventLogV1) => void },
): Promise<Result<RunV1>> {
  const listener = kernel.wakeUp.listen([`run:${runId}`]);
  try {
    for (let after = 0; ; ) {
      const run = await kernel.read.run(runId);
      if (!run.ok) return run;
      const found = await kernel.read.events(runId, { after, limit: page });
      if (!found.ok) return found;
      for (const event of found.value) options.onEvent(event);
      after = found.value.at(-1)?.seq ?? after;
      if (found.value.length > 0) continue;
      if (run.value.status === "closed" || options.signal.aborted) return ok(run.value);
      await listener.wait(lookMs, options.signal);
    }
  } finally {
    listener.close();
  }
}
