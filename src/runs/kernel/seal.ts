import { canonicalJson, ok, type Result, type RunId, type Sha256, sha256, zeroHash } from "#core/values";
import type { KernelReader } from "./store/port.ts";

/** The head of a run's history. An anchor stores it elsewhere, so that a changed row is detected. */
export interface RunSeal {
  readonly run_id: RunId;
  readonly seq: number;
  readonly hash: Sha256;
}

const page = 1_000;

/**
 * Chains the run's events, from the first or from an earlier seal: each hash covers the one before and the canonical
 * event. Computed on demand, not with every transition: an inline chain would cost the queue a fifth of its rate, and
 * only an anchored head detects a rewrite anyway.
 */
export async function sealRun(
  read: KernelReader,
  runId: RunId,
  options: { readonly from?: RunSeal; readonly upTo?: number } = {},
): Promise<Result<RunSeal>> {
  let { seq, hash } = options.from ?? { seq: 0, hash: zeroHash };
  for (;;) {
    const limit = Math.min(page, (options.upTo ?? Number.POSITIVE_INFINITY) - seq);
    if (limit <= 0) return ok({ run_id: runId, seq, hash });
    const events = await read.events(runId, { after: seq, limit });
    if (!events.ok) return events;
    for (const event of events.value) {
      hash = sha256(`${hash}\n${canonicalJson(event)}`);
      seq = event.seq;
    }
    if (events.value.length < limit) return ok({ run_id: runId, seq, hash });
  }
}
