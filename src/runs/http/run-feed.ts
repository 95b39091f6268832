import { frame } from "#core/routes";
import { type Clock, ok, type Result, type RunId } from "#core/values";
import type { Kernel } from "../kernel/kernel.ts";

/** Other processes send no wake-up to this one, so the run is polled as well. */
const lookMs = 200;

/** The history of a run from a number on, until it is closed or the signal aborts. */
export async function* followRun(
  kernel: Pick<Kernel, "read" | "wakeUp">,
  run_id: RunId,
  options: { readonly after: number; readonly signal: AbortSignal; readonly clock: Clock },
): AsyncGenerator<Result<string>> {
  const listener = kernel.wakeUp.listen([`run:${run_id}`]);
  try {
    for (let { after } = options; !options.signal.aborted; ) {
      const run = await kernel.read.run(run_id);
      if (!run.ok) return yield run;
      const found = await kernel.read.events(run_id, { after, limit: 500 });
      if (!found.ok) return yield found;
      for (const event of found.value) yield ok(frame("event", event, event.seq));
      after = found.value.at(-1)?.seq ?? after;
      if (found.value.length > 0) continue;
      if (run.value.status === "closed") return;
      await listener.wait(lookMs, options.signal);
    }
  } finally {
    listener.close();
  }
}
