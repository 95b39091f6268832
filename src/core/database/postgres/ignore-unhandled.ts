/**
 * Marks the promise as handled, so that a rejection before the first `await` does not end the process. Callers still
 * await it and get the rejection.
 */
export function ignoreUnhandled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined); // the rejection reaches the callers of `answer`
  return answer;
}
