import type { Call } from "#core/routes";
import { type Clock, sleep } from "#core/values";
import type { FlowResult } from "../flow/execution-context.ts";

export const maxWaitSeconds = 60;

/** The result, for a caller that prefers to wait for it, if it is there by then. */
export async function preferredResult(
  result: Promise<FlowResult>,
  call: Pick<Call, "header" | "signal">,
  clock: Clock,
): Promise<FlowResult | undefined> {
  const seconds = waitOf(call.header("prefer"));
  return seconds === 0 ? undefined : within(result, seconds * 1000, clock, call.signal);
}

function waitOf(prefer: string | undefined): number {
  const seconds = /(?:^|[,;\s])wait *= *"?(\d{1,5})"?(?:$|[,;\s])/i.exec(prefer ?? "")?.[1];
  return seconds === undefined ? 0 : Math.min(Number(seconds), maxWaitSeconds);
}

async function within(
  result: Promise<FlowResult>,
  ms: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<FlowResult | undefined> {
  const waiting = new AbortController();
  const stop = () => waiting.abort();
  signal.addEventListener("abort", stop, { once: true });
  const late = sleep(clock, ms, waiting.signal).then(() => undefined);
  try {
    return await Promise.race([result, late]);
  } finally {
    stop();
    signal.removeEventListener("abort", stop);
  }
}
