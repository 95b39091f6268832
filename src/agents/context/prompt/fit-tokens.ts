import type { Fragment } from "../fragment.ts";
import { blockTokens, frameTokens } from "./prompt-builder.ts";

/**
 * The fragments that fit, in the order given. What a contract requires goes in first, then what is worth most. A fragment is
 * kept whole or not at all: half a record is a false one. The rendered text of the answer is never above `limit`.
 */
export function fitTokens(
  fragments: readonly Fragment[],
  limit: number,
  worth: (fragment: Fragment, index: number, count: number) => number = (_, index, count) => count - index,
): readonly Fragment[] {
  const ranked = fragments
    .map((fragment, index) => ({ fragment, worth: worth(fragment, index, fragments.length) }))
    .toSorted((a, b) => Number(b.fragment.required) - Number(a.fragment.required) || b.worth - a.worth);
  const kept = new Set<Fragment>();
  let left = limit - frameTokens;
  for (const { fragment } of ranked) {
    const cost = blockTokens(fragment);
    if (cost > left) continue;
    left -= cost;
    kept.add(fragment);
  }
  return fragments.filter((fragment) => kept.has(fragment));
}
