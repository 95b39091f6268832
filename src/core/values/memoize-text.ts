/**
 * Caches the result for the latest text of each name. The same string again is not parsed again: parsing and hashing
 * contracts took most of the time of a request.
 */
export function memoizeText<T>(
  read: (text: string, name: string) => T,
  most = 1_000,
): (text: string, name: string) => T {
  const kept = new Map<string, { readonly text: string; readonly value: T }>();
  return (text, name) => {
    const known = kept.get(name);
    if (known && known.text === text) return known.value;
    if (kept.size >= most) kept.clear();
    const value = read(text, name);
    kept.set(name, { text, value });
    return value;
  };
}
