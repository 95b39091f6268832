import { useCallback } from "react";
import { useLocationProperty } from "wouter/use-browser-location";

/**
 * A part of the view that the address holds behind `#`: a reader who gets the address sees the same. Browsers do not send it to the
 * server, so it reaches no log and has no length limit. For text that a person typed; a choice is a `useParam`.
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

/** The current address with this fragment. */
export function addressWith(fragment: string): string {
  return `${location.pathname}${location.search}${fragment}`;
}
