import type { StreamPart } from "./stream-part.ts";

type Listener = (part: StreamPart) => void;

/** Pieces of answers while they arrive, for clients that follow a thread in this process. What is complete is in the record. */
export class LivePieces {
  readonly #listeners = new Map<string, Set<Listener>>();

  push(thread_id: string, part: StreamPart): void {
    if (part.seq !== undefined) return; // recorded: a follower reads it from the record
    for (const listener of this.#listeners.get(thread_id) ?? []) listener(part);
  }

  /** Returns what ends it. */
  follow(thread_id: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(thread_id) ?? new Set();
    this.#listeners.set(thread_id, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(thread_id);
    };
  }
}
