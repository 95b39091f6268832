import { useEffect, useRef } from "react";

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The focused element is pressed with this key: it would not work if a page handled the key first. */
const isPressing = ({ target, key }: KeyboardEvent) =>
  (key === "Enter" || key === " ") && target instanceof Element && target.closest("a[href], button, summary") !== null;

/** All key maps, the newest last: components deeper in the page come first. */
const listeners: { readonly current: Keys }[] = [];
const prefixMs = 1_000;
let prefix = "";
let forget: ReturnType<typeof setTimeout> | undefined;

/** One listener for the page, so that the second key of `g r` is never handled as an `r` by another component. */
function pressed(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event.target) || isPressing(event) || document.querySelector("dialog[open]")) return;
  const key = event.key.length === 1 ? event.key : event.key.toLowerCase();
  const wanted = prefix ? `${prefix} ${key}` : key;
  const startsOne =
    prefix === "" && listeners.some(({ current }) => Object.keys(current).some((name) => name.startsWith(`${key} `)));
  clearTimeout(forget);
  prefix = "";
  const act = listeners.findLast(({ current }) => Object.hasOwn(current, wanted))?.current[wanted];
  if (act) {
    event.preventDefault();
    act(event);
  } else if (startsOne) {
    prefix = key;
    forget = setTimeout(() => {
      prefix = "";
    }, prefixMs);
  }
}

/** Keys of a page: `j`, `enter`, `?`, or two in a row as `g h`. Inactive in a text field and while a dialog is open. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    if (listeners.length === 0) window.addEventListener("keydown", pressed);
    listeners.push(current);
    return () => {
      listeners.splice(listeners.indexOf(current), 1);
      if (listeners.length === 0) window.removeEventListener("keydown", pressed);
    };
  }, []);
}
