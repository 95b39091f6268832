/** The promise's value, or the other one as soon as the signal aborts. What comes later is not waited for. */
export function raceAbort<T, U>(promise: Promise<T>, signal: AbortSignal, otherwise: U): Promise<T | U> {
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve(otherwise);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
