/** Parts of letters, digits, `_` and `-`, joined by dots. Short, so that a name fits every provider's rules once mapped. */
const nameShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\.[A-Za-z0-9][A-Za-z0-9_-]{0,63}){0,3}$/;

export function isToolName(text: unknown): text is string {
  return typeof text === "string" && text.length <= 128 && nameShape.test(text);
}
