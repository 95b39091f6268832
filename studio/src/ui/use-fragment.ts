import { useCallback } from "react";
import { useLocationProperty } from "wouter/use-browser-location";

/**
 * A part of the view that stands behind `#`: whoever gets the address sees the same, and no server is sent it, so none
 * keeps it in a log or refuses it for its length. For what somebody wrote; what they chose is a `useParam`.
 */
export function useFragment(name: string): readonly [string | null, (value: string | null) => void] {
  const fragment = useLocationProperty(
    () => location.hash,
    () => "",
  );
  const set = useCallback(
    (value: string | null) => {
      const next = new URLSearchParams(location.hash.slice(1));
      if (value === null) next.delete(name);
      else next.set(name, value);
      history.replaceState(history.state, "", addressWith(next.size === 0 ? "" : `#${next}`));
    },
    [name],
  );
  return [new URLSearchParams(fragment.slice(1)).get(name), set];
}

/** The address as it is, with this behind it. */
export function addressWith(fragment: string): string {
  return `${location.pathname}${location.search}${fragment}`;
}
