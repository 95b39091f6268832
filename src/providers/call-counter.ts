/**
 * Numbers the calls of each role within one session, for the log and for scripts. Lives as long as the session does. In a
 * session that goes on, the numbers that its record holds are taken; the next call gets the smallest that is free.
 */
export class CallCounter {
  readonly #counts = new Map<string, number>();
  readonly #taken: ReadonlySet<string>;

  constructor(taken: Iterable<{ readonly role: string; readonly call: number }> = []) {
    this.#taken = new Set(Array.from(taken, ({ role, call }) => `${role} ${call}`));
  }

  next(role: string): number {
    let count = (this.#counts.get(role) ?? 0) + 1;
    while (this.#taken.has(`${role} ${count}`)) count += 1;
    this.#counts.set(role, count);
    return count;
  }
}
