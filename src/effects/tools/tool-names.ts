/** Parts of letters, digits, `_` and `-`, joined by dots. Short, so that a name fits every provider's rules once mapped. */
const nameShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\.[A-Za-z0-9][A-Za-z0-9_-]{0,63}){0,3}$/;

export function isToolName(text: unknown): text is string {
  return typeof text === "string" && text.length <= 128 && nameShape.test(text);
}

/**
 * `*` stands for any run of characters; everything else is literal. Not a glob language on purpose: in an allow-list a
 * negation such as `!fs.write` would grant every tool but one.
 */
export function matchesToolName(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern === name;
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

export function isAllowed(allowed: readonly string[], name: string): boolean {
  return allowed.some((pattern) => matchesToolName(pattern, name));
}
