import { Copy } from "../ui/copy.tsx";
import type { Hook } from "./policies.ts";

/** Hooks in the order in which they are asked. */
export function HookTable(props: { readonly hooks: readonly Hook[]; readonly onBacktest: (id: string) => void }) {
  return (
    <section className="panel" aria-label="Hooks">
      <div className="title">
        <h2>Hooks</h2>
      </div>
      <table className="table">
        <thead>
          <tr>
            <th>point</th>
            <th>hook</th>
            <th>matches</th>
            <th>kind</th>
            <th>from</th>
            <th>hash</th>
            <th>
              <span className="unseen">backtest</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.hooks.map((hook) => (
            <tr key={`${hook.point} ${hook.id}`}>
              <td>{hook.point}</td>
              <td>
                <strong>{hook.id}</strong>
              </td>
              <td className="mono">{hook.matcher ?? "*"}</td>
              <td>{hook.kind}</td>
              <td className="soft clip">{hook.source}</td>
              <td>
                <Copy value={hook.hash} shown={hook.hash.slice(0, 10)} />
              </td>
              <td>
                <button
                  type="button"
                  className="button quiet"
                  aria-label={`Backtest ${hook.id} at ${hook.point}`}
                  onClick={() => props.onBacktest(hook.id)}
                >
                  Backtest
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
