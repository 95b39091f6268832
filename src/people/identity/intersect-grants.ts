import { covers } from "./covers.ts";

/**
 * What two lists of grants both cover. Of two patterns the narrower stays; where neither covers the other nothing does:
 * what cannot be shown to be granted by both is not.
 */
export function intersectGrants(some: readonly string[], others: readonly string[]): readonly string[] {
  return [
    ...new Set([...some.filter((grant) => covers(others, grant)), ...others.filter((grant) => covers(some, grant))]),
  ];
}
