import type { Event } from "../api/types.ts";
import { count } from "../ui/numbers.ts";

type Update = Extract<Event, { type: "budget.updated" }>;

/** What was left of the tokens after each settlement; the same as a table behind it. */
export function BurnDown({ events }: { readonly events: readonly Event[] }) {
  const updates = events.filter(
    (event): event is Update => event.type === "budget.updated" && event.payload.action !== "reserve",
  );
  const [first] = updates;
  const limit = first?.payload.left?.tokens ?? 0;
  if (!first || limit === 0) return <p className="soft">No budget was allocated.</p>;
  const began = Date.parse(first.ts);
  const span = Math.max(1, Date.parse(updates.at(-1)?.ts ?? first.ts) - began);
  const points = updates.map((update) => ({
    seq: update.seq,
    action: update.payload.action,
    left: update.payload.left?.tokens ?? 0,
    x: ((Date.parse(update.ts) - began) / span) * 100,
  }));
  const path = points
    .map(({ x, left }, index) => `${index === 0 ? "M" : "L"}${x.toFixed(2)} ${(100 - (left / limit) * 100).toFixed(2)}`)
    .join(" ");
  return (
    <figure className="stack">
      <svg
        className="burn"
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Tokens left, from ${count(limit)} down to ${count(points.at(-1)?.left ?? 0)}`}
      >
        <path className="limit" d="M0 0 L100 0" />
        <path d={path} />
      </svg>
      <details>
        <summary>as a table</summary>
        <table className="table">
          <tbody>
            {points.map((point) => (
              <tr key={point.seq}>
                <td>#{point.seq}</td>
                <td>{point.action}</td>
                <td className="number">{count(point.left)} left</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
