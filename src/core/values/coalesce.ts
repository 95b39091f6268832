/**
 * Many who ask at once are answered by one look. The look begins after the last of them asked, never before: nobody gets
 * an answer that is older than the question. Whoever asks while a look is under way waits for the next one.
 *
 * Gates, law and halts are looked at for every flow; with 100 flows at once the look costs what it costs for one.
 */
export function coalesce<Key, Found>(look: (key: Key) => Promise<Found> | Found): (key: Key) => Promise<Found> {
  const next = new Map<Key, Promise<Found>>();
  return (key) => {
    const joined = next.get(key);
    if (joined) return joined;
    const begun = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next.delete(key);
      return look(key);
    });
    next.set(key, begun);
    return begun;
  };
}
