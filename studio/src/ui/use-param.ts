import { useCallback } from "react";
import { useSearchParams } from "wouter";
import { addressWith } from "./use-fragment.ts";

/**
 * A part of the view that stands in the address, so that whoever gets the address sees the same. Null is the usual, and
 * stands nowhere. What a reader flips through replaces the address; `push` keeps a step to come back to.
 */
export function useParam(
  name: string,
  { push = false }: { readonly push?: boolean } = {},
): readonly [string | null, (value: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (value: string | null) => {
      const { hash } = location;
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === null || value === "") next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: !push },
      );
      // A new search takes what stands behind it away.
      if (hash) history.replaceState(history.state, "", addressWith(hash));
    },
    [setSearch, name, push],
  );
  return [search.get(name), set];
}
