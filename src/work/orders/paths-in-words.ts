import { workspacePath } from "#governance";

/** The words of a request as they were written, without quotes and without the signs that end a sentence. */
export function wordsOf(prompt: string): readonly string[] {
  return prompt
    .split(/\s+/)
    .map((word) => word.replace(/^["'`(<[]+|["'`)>\],;:!?]+$/g, "").replace(/\.+$/, ""))
    .filter((word) => word !== "");
}

/** The path of the workspace that a word may stand for; null where it leads out of it or is a pattern. */
export function pathOfWord(word: string): string | null {
  if (/[*?[\]{}]/.test(word)) return null;
  const path = workspacePath(word.replace(/\/+$/, ""));
  return path.ok && path.value !== "" ? path.value : null;
}
