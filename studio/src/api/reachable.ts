const waiting = new Set<() => void>();

/** The server answers again: whoever asked in vain asks anew. */
export const reachable = {
  tell(): void {
    for (const listener of waiting) listener();
  },
  subscribe(listener: () => void): () => void {
    waiting.add(listener);
    return () => waiting.delete(listener);
  },
};
