import type { Page } from "playwright-core";

/** What stood on the screen of the inbox when a key went down, and each change of it with the way that the reader went. */
export interface Witness {
  readonly pressed: readonly { readonly key: string; readonly shown: string | null; readonly frames: number }[];
  readonly moves: readonly { readonly from: string; readonly to: string; readonly after: string }[];
}

/** Looks at every frame that the browser draws. In the page's own words, because it runs there. */
const script = `(() => {
  const pressed = [], moves = [];
  let shown = null, frames = 0, way = "";
  window.witness = { pressed, moves };
  addEventListener("keydown", (event) => {
    if (event.key === "j" || event.key === "k") way = event.key;
    pressed.push({ key: event.key, shown, frames });
  }, true);
  const look = () => {
    const card = document.querySelector("section[data-hash]");
    const now = card && card.getAttribute("data-hash");
    if (now !== null && now !== shown) {
      if (shown !== null) moves.push({ from: shown, to: now, after: way });
      frames = 0;
      way = "";
    }
    if (now === null && shown !== null) frames = 0;
    else frames += 1;
    shown = now ?? shown;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

export function witnessScreen(page: Page): Promise<unknown> {
  return page.evaluate(script);
}

export function seenBy(page: Page): Promise<Witness> {
  return page.evaluate("window.witness");
}
