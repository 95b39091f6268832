import { useLayoutEffect, useRef } from "react";

/** How far each address was scrolled when it was left. */
const places = new Map<string, number>();
let cameBackTo = "";
window.addEventListener("popstate", () => {
  cameBackTo = location.href;
});

/** Restores the scroll position of a list on return. The browser does so only for whole pages, and only once they are loaded. */
export function useKeptPlace(): void {
  const address = useRef("");
  address.current = location.href;
  useLayoutEffect(() => {
    const main = document.querySelector("main");
    if (!main) return;
    if (cameBackTo === address.current) main.scrollTop = places.get(cameBackTo) ?? 0;
    cameBackTo = "";
    return () => void places.set(address.current, main.scrollTop);
  }, []);
}
