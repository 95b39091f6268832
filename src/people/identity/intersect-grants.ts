import { settleBounds, spellOut } from "./bound-kinds.ts";
import { covers } from "./covers.ts";

/**
 * What two lists of grants both cover. Of two patterns the narrower stays; where neither covers the other nothing does:
 * what cannot be shown to be granted by both is not. A bound of either is a bound of both.
 */
export function intersectGrants(some: readonly string[], others: readonly string[]): readonly string[] {
  const [one, other] = [spellOut(some), spellOut(others)];
  const both = new Set([
    ...one.filter((grant) => covers(other, grant)),
    ...other.filter((grant) => covers(one, grant)),
  ]);
  return settleBounds([...both], [some, others]);
}
