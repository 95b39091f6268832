import { type RefObject, useEffect, useRef, useState } from "react";
import { useKeys } from "./use-keys.ts";

/** `j` and `k` move through the rows of a table, `enter` opens one: which is chosen, and where the rows stand. */
export function useRowKeys(
  count: number,
  open: (index: number) => void,
  { on = true }: { readonly on?: boolean } = {},
): { readonly at: number; readonly body: RefObject<HTMLTableSectionElement | null> } {
  const [at, setAt] = useState(-1);
  const body = useRef<HTMLTableSectionElement>(null);
  const step = (next: (before: number) => number) => {
    // Takes the focus from the button that was pressed last: from now on enter is meant for the row.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    setAt(next);
  };
  useKeys(
    on
      ? {
          j: () => step((before) => Math.min(before + 1, count - 1)),
          k: () => step((before) => Math.max(before - 1, 0)),
          enter: () => at >= 0 && open(at),
        }
      : {},
  );
  useEffect(() => {
    body.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return { at, body };
}
