import type { FrameworkManifest } from "#core/contracts";
import type { UsedRights } from "../mandate/used-rights.ts";
import { narrowestPatterns } from "../paths/narrowest-patterns.ts";

/** What recorded orders under one framework used, added up. */
export type UsedTogether = Pick<UsedRights, "tools" | "reads" | "writes" | "hosts" | "models" | "hasReadUnseen">;

type Tightened = "tools" | "path_authorizations" | "read_authorizations" | "hosts" | "models";

/** A rule of the manifest that can be narrower than it is. */
export interface TighterRule {
  readonly property: Tightened;
  /** As it is now; null: the manifest does not narrow it. */
  readonly now: readonly string[] | null;
  readonly proposed: readonly string[];
}

/**
 * The narrowest rules under which the recorded orders would have had the same result. Files of one kind in one folder become a
 * pattern, because the next order names other files there. Rules that the record says nothing about stay as they are.
 */
export function tightenFramework(manifest: FrameworkManifest, used: UsedTogether): readonly TighterRule[] {
  const writes = narrowestPatterns(used.writes);
  const reads = narrowestPatterns([...used.reads].filter((path) => !used.writes.has(path)));
  const wanted: readonly (readonly [Tightened, readonly string[]])[] = [
    ["tools", [...used.tools.keys()].toSorted()],
    ["path_authorizations", writes],
    ...(used.hasReadUnseen ? [] : [["read_authorizations", reads] as const]),
    ["hosts", [...used.hosts].toSorted()],
    ["models", [...used.models].toSorted()],
  ];
  return wanted.flatMap(([property, proposed]) => {
    const now = manifest[property] ?? null;
    return now !== null && isSame(now, proposed) ? [] : [{ property, now, proposed }];
  });
}

function isSame(now: readonly string[], proposed: readonly string[]): boolean {
  return now.length === proposed.length && proposed.every((each) => now.includes(each));
}
