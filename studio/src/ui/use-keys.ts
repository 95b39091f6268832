import { useEffect, useRef } from "react";

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Keys of a page: `j`, `enter`, `?`, or two in a row as `g h`. Silent while somebody types or a dialog is open. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    let first = "";
    let forget: ReturnType<typeof setTimeout> | undefined;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const key = event.key.length === 1 ? event.key : event.key.toLowerCase();
      const act = current.current[first ? `${first} ${key}` : key];
      clearTimeout(forget);
      const prefix = first ? "" : key;
      first = "";
      if (act) {
        event.preventDefault();
        act(event);
      } else if (Object.keys(current.current).some((name) => name.startsWith(`${prefix} `))) {
        first = prefix;
        forget = setTimeout(() => {
          first = "";
        }, 1_000);
      }
    };
    window.addEventListener("keydown", pressed);
    return () => {
      clearTimeout(forget);
      window.removeEventListener("keydown", pressed);
    };
  }, []);
}
