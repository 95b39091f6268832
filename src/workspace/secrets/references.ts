const reference = /\$\{secret:([A-Za-z_][A-Za-z0-9_.-]*)\}/g;

/** The names in `${secret:NAME}`, each once, in order. */
export function secretsNamedIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(reference)].map(([, name]) => name ?? ""))];
}

/** Puts values in the places of their names. What has no value stays a reference: a name is no secret. */
export function fillReferences(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(reference, (whole, name: string) => values.get(name) ?? whole);
}
