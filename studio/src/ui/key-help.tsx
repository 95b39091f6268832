import { places } from "../places.ts";
import { Dialog } from "./dialog.tsx";
import { goToKey } from "./go-to-key.ts";

const keys: readonly (readonly [string, string])[] = [
  ["j / k", "next, previous"],
  ["home / end", "first, last event"],
  ["enter", "open"],
  ["/", "search; enter goes to the first found, j / k through them"],
  ["r", "replay a session"],
  ["a / d", "approve, deny what is selected in the inbox"],
  ["esc", "close"],
  [goToKey, "go to anything"],
  ["?", "these keys"],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl className="facts">
        {[...keys, ...places.map((place) => [`g ${place.key}`, place.name] as const)].map(([key, what]) => (
          <div key={key} style={{ display: "contents" }}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
