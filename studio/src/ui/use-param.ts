import { useCallback } from "react";
import { useSearchParams } from "wouter";
import { addressWith } from "./use-fragment.ts";

/**
 * A part of the view that the address holds, so that a reader who gets the address sees the same. Null is the default and is left
 * out. A change replaces the address; with `push` it adds a step to the browser's history.
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
      // Setting the search drops the fragment.
      if (hash) history.replaceState(history.state, "", addressWith(hash));
    },
    [setSearch, name, push],
  );
  return [search.get(name), set];
}
