import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";

/**
 * A path inside the workspace, as text: relative, `/` between its parts, no part empty, `.` or `..`. It says nothing about
 * what lies on disk: a caller that opens it must follow no symlinks. `""` is the workspace itself.
 */
export function workspacePath(text: string): Result<string> {
  if (text.length > 4096) return refused(text, "it is longer than 4096 characters");
  if (!text.isWellFormed()) return refused(text, "it is not well-formed Unicode");
  if (/\p{Cc}/u.test(text)) return refused(text, "it holds a control character");
  if (text.includes("\\")) return refused(text, 'it holds a backslash; "/" separates folders');
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  if (text.startsWith("/") || /^(~|[A-Za-z]:)/.test(parts[0] ?? ""))
    return refused(text, "it is not relative to the workspace");
  if (parts.includes("..")) return refused(text, 'it holds ".."');
  if (parts.some((part) => Buffer.byteLength(part) > 255)) return refused(text, "a part is longer than 255 bytes");
  return ok(parts.join("/"));
}

/**
 * The form in which paths are compared with rules. Two paths that any common file system takes for one have one form:
 * case, Unicode composition and compatibility forms, characters that are not shown, trailing dots and blanks, and
 * alternate data streams are all folded away.
 */
export function comparablePath(path: string): string {
  return path
    .split("/")
    .map((part) => (isPlainPart.test(part) ? part.toLowerCase() : foldedPart(part)))
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** Printed ASCII without a colon, a dot or a blank at its end: only its case is folded. A decision about a path takes 4 us in place of 9. */
const isPlainPart = /^(?:[ -9;-~]*[!-\-/-9;-~])?$/;

function foldedPart(part: string): string {
  return part
    .normalize("NFKC")
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, "")
    .toLowerCase()
    .toUpperCase() // there and back: some letters meet only in one of the two directions (ẞ, ß, ss)
    .toLowerCase()
    .normalize("NFKC")
    .replace(/:.*$/su, "")
    .replace(/[. ]+$/u, (dots) => (part === dots ? dots : ""));
}

/** A name that people can see as it is: for what is going to be created. */
export function isPlainName(path: string): boolean {
  return (
    path === path.normalize("NFC") &&
    !/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cn}]|(^|\/) | (\/|$)/u.test(path)
  );
}

function refused(text: string, why: string): Result<never> {
  const shown = JSON.stringify(text.length > 120 ? `${text.slice(0, 119)}…` : text);
  return err(domainError("CAPABILITY_VIOLATION", `the path ${shown} is refused: ${why}`));
}
