/** Who speaks. Personas of one role speak at once, so each has numbers of its own. */
interface Speaking {
  readonly role: string;
  readonly persona?: string;
}

function nameOf({ role, persona }: Speaking): string {
  return persona === undefined ? role : `${role}/${persona}`;
}

/**
 * Numbers the calls of each role within one session, for the log and for scripts, and knows the ids of the tool calls that
 * they asked for. Lives as long as the session does. In a
 * session that goes on, the numbers that its record holds are taken; the next call gets the smallest that is free.
 */
export class CallCounter {
  readonly #counts = new Map<string, number>();
  readonly #taken: ReadonlySet<string>;
  /** The ids of tool calls that any answer of the session asked for. */
  readonly #toolCalls = new Set<string>();

  constructor(taken: Iterable<Speaking & { readonly call: number }> = []) {
    this.#taken = new Set(Array.from(taken, (each) => `${nameOf(each)} ${each.call}`));
  }

  isKnownCall(id: string): boolean {
    return this.#toolCalls.has(id);
  }

  knowCalls(calls: Iterable<{ readonly id: string }>): void {
    for (const { id } of calls) this.#toolCalls.add(id);
  }

  next(speaking: Speaking): number {
    const name = nameOf(speaking);
    let count = (this.#counts.get(name) ?? 0) + 1;
    while (this.#taken.has(`${name} ${count}`)) count += 1;
    this.#counts.set(name, count);
    return count;
  }
}
