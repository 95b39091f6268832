/** The promise's value, or `otherwise` as soon as the signal aborts. A later value is dropped. */
export function raceAbort<T, U>(promise: Promise<T>, signal: AbortSignal, otherwise: U): Promise<T | U> {
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve(otherwise);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
