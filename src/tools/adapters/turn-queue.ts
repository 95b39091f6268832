const last = new Map<string, Promise<unknown>>();

/** Runs what has the same key one after the other, in the order of asking. */
export async function inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
  const before = last.get(key);
  const mine = (async () => {
    await Promise.allSettled([before]); // whether it failed is its own caller's business
    return act();
  })();
  last.set(key, mine);
  try {
    return await mine;
  } finally {
    if (last.get(key) === mine) last.delete(key);
  }
}
