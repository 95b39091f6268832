import { domainError } from "#core/errors";
import { type Clock, err, type Result } from "#core/values";

/** Runs `work` under a limit of its own and the caller's signal; answers at the limit even if the work does not listen. */
export async function withTimeLimit<T>(
  clock: Clock,
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result<T>>,
): Promise<Result<T>> {
  if (outer.aborted) return err(canceled());
  const inner = new AbortController();
  let stop: (() => void) | undefined;
  const limited = new Promise<Result<T>>((resolve) => {
    const cancelTimer = clock.after(limitMs, () => {
      resolve(
        err(domainError("PROVIDER_TIMEOUT", `no answer within ${limitMs} ms`, { details: { limit_ms: limitMs } })),
      );
      inner.abort();
    });
    const onAbort = () => {
      resolve(err(canceled()));
      inner.abort();
    };
    outer.addEventListener("abort", onAbort, { once: true });
    stop = () => {
      cancelTimer();
      outer.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([work(inner.signal), limited]);
  } finally {
    stop?.();
  }
}

function canceled() {
  return domainError("CANCELED", "the request was canceled before the model answered");
}
