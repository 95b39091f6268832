import { More } from "../ui/more.tsx";
import { count } from "../ui/numbers.ts";
import type { BudgetPoint } from "./opening.ts";

/** What was left of the tokens after each settlement; the same as a table behind it. */
export function BurnDown({ points }: { readonly points: readonly BudgetPoint[] }) {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || first.left === 0)
    return <p className="soft">No budget was allocated: nothing here may call a model.</p>;
  const spent = first.left - last.left;
  const path = points
    .map(({ left }, index) => {
      const y = 100 - (Math.max(0, left) / first.left) * 100;
      const x = (index / points.length) * 100;
      return index === 0 ? `M0 ${y.toFixed(2)}` : `H${x.toFixed(2)} V${y.toFixed(2)}`;
    })
    .concat("H100")
    .join(" ");
  return (
    <figure className="stack">
      <figcaption className="row">
        <strong>{count(last.left)}</strong>
        <span className="soft grow">of {count(first.left)} tokens left</span>
        <span className="soft">
          {count(spent)} spent · {share(spent / first.left)}
        </span>
      </figcaption>
      {points.length > 1 && (
        <div className="burn-box">
          <svg
            className="burn"
            viewBox="0 0 100 100"
            preserveAspectRatio="none"
            role="img"
            aria-label={`Tokens left, from ${count(first.left)} down to ${count(last.left)}`}
          >
            <path className="area" d={`${path} V100 H0 Z`} />
            <path d={path} />
          </svg>
          <span className="burn-top">{count(first.left)}</span>
          <span className="burn-bottom">0</span>
        </div>
      )}
      <More id="budget" summary="as a table">
        {() => (
          <table className="table">
            <tbody>
              {points.map((point) => (
                <tr key={point.seq}>
                  <td>#{point.seq}</td>
                  <td className="number">{count(point.left)} left</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </More>
    </figure>
  );
}

function share(part: number): string {
  return part > 0 && part < 0.001 ? "under 0.1 %" : `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
}
