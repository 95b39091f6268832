import { count } from "../ui/numbers.ts";

/** Where denials and failures are, over the whole session. */
export function Minimap({
  total,
  trouble,
  closed,
  onGo,
}: {
  readonly total: number;
  /** Null until the whole session was looked through. */
  readonly trouble: readonly number[] | null;
  readonly closed: boolean;
  readonly onGo: (seq: number) => void;
}) {
  if (trouble === null) return <div className="minimap none">looking for denials and failures …</div>;
  if (trouble.length === 0)
    return <div className="minimap none">nothing was denied, nothing failed{closed ? "" : " so far"}</div>;
  const what = `${count(trouble.length)} ${trouble.length === 1 ? "denial or failure" : "denials and failures"}`;
  return (
    <button
      type="button"
      className="minimap"
      aria-label={`${what}; go to the first`}
      title={what}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const share = event.detail === 0 ? null : (event.clientX - box.left) / box.width;
        onGo(share === null ? (trouble[0] ?? 1) : nearest(trouble, share * total));
      }}
    >
      {places(trouble, total).map((place) => (
        <i key={place} style={{ left: `${place}%` }} />
      ))}
    </button>
  );
}

/** Two marks closer than half a percent are one mark. */
function places(trouble: readonly number[], total: number): readonly number[] {
  return [...new Set(trouble.map((seq) => Math.round((seq / Math.max(1, total)) * 200) / 2))];
}

function nearest(trouble: readonly number[], seq: number): number {
  return trouble.reduce((best, one) => (Math.abs(one - seq) < Math.abs(best - seq) ? one : best), trouble[0] ?? 1);
}
