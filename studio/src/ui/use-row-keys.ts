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
  useKeys(
    on
      ? {
          j: () => setAt((before) => Math.min(before + 1, count - 1)),
          k: () => setAt((before) => Math.max(before - 1, 0)),
          enter: () => at >= 0 && open(at),
        }
      : {},
  );
  useEffect(() => {
    body.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return { at, body };
}
