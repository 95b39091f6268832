import { useWhyNot } from "../api/rights.ts";
import { Columns } from "../ui/columns.tsx";
import { Copy } from "../ui/copy.tsx";
import { Panel } from "../ui/panel.tsx";
import { visible } from "../ui/visible.ts";
import { BacktestButton } from "./backtest-button.tsx";
import type { Hook } from "./policies.ts";

/** Hooks in the order in which they run. */
export function HookTable(props: { readonly hooks: readonly Hook[]; readonly onBacktest: (id: string) => void }) {
  // A backtest runs the hook's program on the server, so the right to read is not enough.
  const whyNot = useWhyNot("order.submit");
  return (
    <Panel title="Hooks" about="in the order in which they are asked" label="Hooks">
      <table className="table">
        <Columns names={["hook", "point", "matches", "kind", "hash", "(backtest)"]} />
        <tbody>
          {props.hooks.map((hook) => (
            <tr key={`${hook.point} ${hook.id}`}>
              <td className="asked">
                <strong className="clip">{visible(hook.id)}</strong>
                <span className="soft clip second">{visible(hook.source)}</span>
              </td>
              <td>{hook.point}</td>
              <td className="mono">{visible(hook.matcher ?? "*")}</td>
              <td>{hook.kind}</td>
              <td>
                <Copy value={hook.hash} shown={hook.hash.slice(0, 10)} />
              </td>
              <td className="number">
                {whyNot === null && (
                  <BacktestButton what={`${hook.id} at ${hook.point}`} onBacktest={() => props.onBacktest(hook.id)} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
