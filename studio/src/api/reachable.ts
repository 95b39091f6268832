const waiting = new Set<() => void>();

/** Signals that the server answers again: hooks whose request failed repeat it. */
export const reachable = {
  tell(): void {
    for (const listener of waiting) listener();
  },
  subscribe(listener: () => void): () => void {
    waiting.add(listener);
    return () => waiting.delete(listener);
  },
};
