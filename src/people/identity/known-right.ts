/** What may stand before the colon of a right. A misspelt kind would grant nothing, or bound nothing, without a word. */
export const rightKinds = ["framework", "class", "tool", "path", "read", "host", "usd", "tokens"] as const;

/** Names without a colon are open: routes and people decide by them. Amounts are numbers. */
export function isKnownRight(right: string): boolean {
  const [, kind, value = ""] = /^([^:*]*):(.*)$/s.exec(right) ?? [];
  if (kind === undefined) return true;
  if (kind === "usd" || kind === "tokens") return value === "*" || /^[0-9]+(\.[0-9]+)?$/.test(value);
  return rightKinds.some((known) => known === kind);
}
