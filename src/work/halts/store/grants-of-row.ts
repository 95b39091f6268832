/** What a caller may do, as a column keeps it; null where nothing readable stands there. */
export function grantsOfRow(text: string | null): readonly string[] | null {
  if (text === null) return null;
  try {
    const grants: unknown = JSON.parse(text);
    return Array.isArray(grants) ? grants.map(String) : null;
  } catch {
    return null; // the caller takes what is unknown for the highest rank
  }
}
