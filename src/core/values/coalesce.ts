/**
 * Concurrent calls with one key share one lookup. It starts after the last of them arrived, so no caller gets a value
 * older than its call. A call that arrives during a lookup waits for the next one.
 *
 * Gates, contracts and halts are looked up for every flow; with 100 flows at once the lookup costs what it costs for
 * one.
 */
export function coalesce<Key, Found>(lookUp: (key: Key) => Promise<Found> | Found): (key: Key) => Promise<Found> {
  const next = new Map<Key, Promise<Found>>();
  return (key) => {
    const joined = next.get(key);
    if (joined) return joined;
    const begun = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next.delete(key);
      return lookUp(key);
    });
    next.set(key, begun);
    return begun;
  };
}
