import type { Event } from "../api/types.ts";
import { describe, isTrouble } from "./describe-event.ts";

/** Where denials and failures are. Shows what has been read so far. */
export function Minimap({
  total,
  loaded,
  onGo,
}: {
  readonly total: number;
  readonly loaded: readonly Event[];
  readonly onGo: (seq: number) => void;
}) {
  const trouble = loaded.filter((event) => isTrouble(describe(event))).slice(0, 500);
  return (
    <button
      type="button"
      className="minimap"
      aria-label={`${trouble.length} denials and failures; go to the first`}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const share = event.detail === 0 ? null : (event.clientX - box.left) / box.width;
        onGo(share === null ? (trouble[0]?.seq ?? 1) : Math.max(1, Math.round(share * total)));
      }}
    >
      {trouble.map((event) => (
        <i key={event.seq} style={{ left: `${(event.seq / Math.max(1, total)) * 100}%` }} />
      ))}
    </button>
  );
}
