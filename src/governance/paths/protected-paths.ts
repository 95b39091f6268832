import { codePlaces, sharedFolders } from "./code-places.ts";
import { lastNameFilter, type NamedPlace, placeFinder, places } from "./named-place.ts";
import { firstSecretPlaces, secretPlaces } from "./secret-places.ts";
import { comparablePath } from "./workspace-path.ts";

const policy = "Writ reads it as policy";

/**
 * What Writ itself obeys or keeps, which no agent writes whatever is granted. Places that do not exist yet count the same:
 * creating one would plant rules for the next session. Of the folders that a project may have too, only what Writ reads counts;
 * what writ.yaml names in them is added by `filesOfConfig`.
 */
const ownPlaces: readonly NamedPlace[] = [
  ...places("root", "it holds the ledgers", "planes"),
  ...places("root", policy, "writ.* .writ* skills workflows frameworks registries"),
  ...places("root", "it is a package that Writ installed", "packages/pkg-* packages/.*"),
  ...places("root", policy, "schemas/*.json agents/*.md"),
  ...places("anywhere", policy, ".agents .claude"),
  ...places("anywhere", "some systems take it for .git", "git~*"),
];

/** For the test that each of them is protected in every spelling. */
export const protectedPlaces: readonly NamedPlace[] = [...ownPlaces, ...secretPlaces];

/** What is not even read: keys, credentials, and the ledgers, which hold the texts of other sessions. */
const unreadable: readonly NamedPlace[] = [...ownPlaces.filter(({ name }) => name === "planes"), ...secretPlaces];

const findProtected = placeFinder(protectedPlaces);
const findLongProtected = placeFinder([...ownPlaces, ...firstSecretPlaces]);
const findUnreadable = placeFinder(unreadable);
const findCode = placeFinder(codePlaces);
const findShared = placeFinder(sharedFolders);

/** Why no caller may write there, in words that end a sentence; undefined when the caller's mandate decides. */
export function whyProtected(path: string): string | undefined {
  if (path.startsWith("/") || path.split("/").includes("..")) return "it lies outside the workspace";
  if (comparablePath(path) === "") return "it is the workspace itself";
  return findProtected(path)?.why;
}

/** The same for what was written before: a session is not judged by names that were added after it. */
export function whyLongProtected(path: string): string | undefined {
  return findLongProtected(path)?.why;
}

/** A file of the class `code-that-runs`, which a pattern of ordinary files does not name. */
export interface RunningCode {
  readonly why: string;
  /** A top folder that is the user's own as long as Writ has nothing in it; a pattern that spells its name names it. */
  readonly folder?: string;
}

/** Whether a path is of that class; undefined for an ordinary one. */
export function codeThatRuns(path: string): RunningCode | undefined {
  const code = findCode(path);
  if (code) return { why: code.why };
  const shared = findShared(path);
  return shared && { why: shared.why, folder: shared.name };
}

/** A path that an order with ordinary patterns cannot write: what a hook is made of may lie there. */
export function isProtectedPath(path: string): boolean {
  return whyProtected(path) !== undefined || codeThatRuns(path) !== undefined;
}

/** Says why no caller may read a path of the workspace, in words that end a sentence; undefined when it may be read. */
export type ReadPolicy = (path: string) => string | undefined;

/** Why no caller may read there; a path with `.git` in it may be read, except where git keeps credentials. */
export function whyUnreadable(path: string): string | undefined {
  const parts = comparablePath(path).split("/");
  if (parts.includes(".git") && parts.at(-1) === "config") return "it holds secrets";
  return findUnreadable(path)?.why;
}

const mayBeNamed = lastNameFilter([...unreadable, ...places("anywhere", "git keeps credentials in it", "config")]);

/** A quick look at one name: false when nothing of that name can be unreadable, whatever folder it lies in. */
export function mayBeUnreadable(name: string): boolean {
  return mayBeNamed(name);
}
