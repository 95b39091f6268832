/**
 * Remembers what became of a text, for about so many characters of text. What was asked for lately stays when the rest is
 * dropped: a document that is looked at again and again is never read anew as a whole.
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
