/**
 * Caches the result per text, for about `characters` characters of text. Recently used entries stay when the others are
 * dropped, so a document that is read repeatedly is never parsed again as a whole.
 */
export function keepByText<T>(read: (text: string) => T, characters: number): (text: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  let size = 0;
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const value = older.get(text) ?? read(text);
    size += text.length;
    if (size > characters / 2) {
      older = recent;
      recent = new Map();
      size = text.length;
    }
    recent.set(text, value);
    return value;
  };
}
