/** Whoever waits for it hears of its failure; that nobody waits yet is no crash. */
export function ignoreUnhandled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined); // see above
  return answer;
}
