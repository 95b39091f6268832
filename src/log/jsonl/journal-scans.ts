import type { JournalMemory } from "./scan-journal.ts";

/**
 * What a reader remembers of the journals, so that each look reads only what was added since the last: a journal of 60 MB that
 * a process left behind takes 0.2 s to read, and a listing asks for fifty sessions of it. One look at a time.
 */
export class JournalScans {
  readonly #memory: JournalMemory = new Map();
  #last: Promise<unknown> = Promise.resolve();

  /** `look` answers with the paths of the journals that there are; what is remembered of others is dropped. */
  look<T>(look: (memory: JournalMemory, seen: Set<string>) => Promise<T>): Promise<T> {
    const next = this.#last.then(async () => {
      const seen = new Set<string>();
      const found = await look(this.#memory, seen);
      for (const path of this.#memory.keys()) if (!seen.has(path)) this.#memory.delete(path);
      return found;
    });
    this.#last = next.catch(() => undefined); // the caller of that look gets the failure
    return next;
  }
}
