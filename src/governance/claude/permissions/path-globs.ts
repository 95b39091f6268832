import { posix } from "node:path";
import { nameMatcher } from "../../paths/rights.ts";

/** Where the paths of a rule begin. */
export interface Anchors {
  /** The workspace, absolute. */
  readonly root: string;
  /** Of the person; a rule about it is kept out where it is not known. */
  readonly home: string | undefined;
  /** What `/path` begins at: the workspace for its own files, the folder of the settings for the others. */
  readonly settings: string;
}

/**
 * The files of the workspace that a rule is about, as globs from there. The rules are those of gitignore: a name without a
 * slash is found at any depth, and a folder means all below it. Empty: it is about files elsewhere.
 */
export function pathGlobs(
  pattern: string,
  effect: "deny" | "ask" | "allow",
  { root, home, settings }: Anchors,
): readonly string[] {
  if (pattern.startsWith("!")) return [];
  // A brace is no choice there, and here one: it may widen a refusal, and not what is allowed.
  if (effect === "allow" && /[{}()!+@]/.test(pattern)) return [];
  if (pattern.startsWith("//")) return withFolder(belowRoot(root, pattern.slice(1)));
  if (pattern === "~" || pattern.startsWith("~/"))
    return home === undefined ? [] : withFolder(belowRoot(root, `${home}${pattern.slice(1)}`));
  if (pattern.startsWith("/")) return withFolder(belowRoot(root, `${settings}${pattern}`));
  if (pattern.startsWith("./")) return withFolder([clean(pattern.slice(2))]);
  const plain = clean(pattern);
  if (plain.split("/").includes("..")) return withFolder(belowRoot(root, posix.join(root, plain)));
  const parts = plain.split("/");
  const isName = parts.length === 1;
  const isFolder = parts.length === 2 && parts[1] === "**";
  const anywhere = isName || (isFolder && effect !== "allow");
  return withFolder([anywhere && parts[0] !== "**" ? `**/${plain}` : plain]);
}

/** What an absolute pattern says about the workspace. */
function belowRoot(root: string, pattern: string): readonly string[] {
  const rest = posix.normalize(pattern).split("/").filter(Boolean);
  return [...new Set(remainder(root.split("/").filter(Boolean), rest))];
}

function remainder(root: readonly string[], [part, ...rest]: readonly string[]): readonly string[] {
  if (part === undefined) return ["**"]; // it names a folder above the workspace
  const [first, ...below] = root;
  if (first === undefined) return [[part, ...rest].join("/")];
  if (part === "**")
    return [["**", ...rest].join("/"), ...root.flatMap((_, index) => remainder(root.slice(index + 1), rest))];
  return nameMatcher(part)(first) ? remainder(below, rest) : [];
}

function clean(pattern: string): string {
  return pattern.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

/** A pattern that names a folder means everything below it. */
function withFolder(globs: readonly string[]): readonly string[] {
  return globs.flatMap((glob) => {
    const plain = clean(glob);
    if (plain === "" || plain === "**") return ["**"];
    return plain.endsWith("/**") ? [plain] : [plain, `${plain}/**`];
  });
}
