import { compileGlob } from "./glob.ts";

/**
 * Why a pattern can name no file: an order that forbids by it forbids nothing, without a word. Paths of the workspace
 * are relative, parted by one slash, and hold no `.` and `..`; a backslash makes the sign after it literal.
 */
export function whyNamesNothing(pattern: string): string | undefined {
  const compiled = compileGlob(pattern);
  if (!compiled.ok) return compiled.error.message;
  const plain = pattern.replace(/^(\.\/)+/, "").replace(/\/$/, "");
  const parts = plain.split("/");
  const shown = JSON.stringify(pattern);
  if (pattern.startsWith("!")) return `the pattern ${shown} negates; a name that begins with "!" is written "\\!"`;
  if (pattern.trim() !== pattern) return `the pattern ${shown} begins or ends with a blank`;
  if (parts.includes("") || parts.includes("."))
    return `the pattern ${shown} names no file: write it without empty and "." parts`;
  if (/\\(?![\\*?{}()[\]!+@|])/.test(pattern)) return `the pattern ${shown} names no file: folders are parted by "/"`;
  return undefined;
}
