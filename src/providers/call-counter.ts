/** Numbers the calls of each role within one session, for the log and for scripts. Lives as long as the session does. */
export class CallCounter {
  readonly #counts = new Map<string, number>();

  next(role: string): number {
    const count = (this.#counts.get(role) ?? 0) + 1;
    this.#counts.set(role, count);
    return count;
  }
}
