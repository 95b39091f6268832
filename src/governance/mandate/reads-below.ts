import type { MandateV1 } from "#core/contracts";
import type { Glob } from "../paths/glob.ts";
import { allowGlob } from "./sources.ts";

/** What can be said of everything below a folder without looking into it. */
export type Extent = "all" | "none" | "mixed";

/** Says of a folder how much below it may be read, so that a sandbox hides whole folders instead of their files. */
export function readsBelow(sources: MandateV1["read"], forbidden: readonly Glob[]): (folder: string) => Extent {
  const globs = sources.map(({ lists }) =>
    lists.flatMap(({ patterns }) => patterns.flatMap((pattern) => allowGlob(pattern) ?? [])),
  );
  return (name) => {
    const folder = name.normalize("NFC");
    if (folder !== "" && forbidden.some((glob) => glob.covers(folder))) return "none";
    if (!globs.every((each) => each.some((glob) => glob.mayMatchBelow(folder)))) return "none";
    if (forbidden.some((glob) => glob.mayMatchBelow(folder))) return "mixed";
    return globs.every((each) => each.some((glob) => glob.matchesAllBelow(folder))) ? "all" : "mixed";
  };
}

/** Says of a folder whether every source has a pattern that may name something below it. */
export function mayMatchBelow(sources: MandateV1["write"], forbidden: readonly Glob[]): (folder: string) => boolean {
  const globs = sources.map(({ lists }) =>
    lists.flatMap(({ patterns }) => patterns.flatMap((pattern) => allowGlob(pattern) ?? [])),
  );
  return (name) => {
    const folder = name.normalize("NFC");
    return (
      !forbidden.some((glob) => glob.covers(folder)) &&
      globs.length > 0 &&
      globs.every((each) => each.some((glob) => glob.mayMatchBelow(folder)))
    );
  };
}
