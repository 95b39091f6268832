import { Link } from "wouter";
import { Columns } from "../ui/columns.tsx";
import { Empty } from "../ui/notes.tsx";
import { Panel } from "../ui/panel.tsx";
import { State } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";
import { BacktestButton } from "./backtest-button.tsx";
import type { Policy } from "./policies.ts";

export function PolicyTable(props: {
  readonly policies: readonly Policy[];
  readonly onBacktest: (id: string) => void;
}) {
  return (
    <Panel title="Policies of cycles" label="Policies of cycles">
      {props.policies.length === 0 && (
        <Empty title="No policy yet" command="workflows/policies/severity.md">
          A policy is Markdown with an expression. Write one:
        </Empty>
      )}
      {props.policies.length > 0 && (
        <table className="table policies">
          <Columns names={["policy", "kind", "mode", "asked in", "(backtest)"]} />
          <tbody>
            {props.policies.map(({ id, file, title, kind, shadow, cycles }) => (
              <tr key={file}>
                <td className="asked">
                  <span className="clip">
                    <strong>{visible(id)}</strong> {visible(title ?? "")}
                  </span>
                  <span className="soft clip second">{visible(file)}</span>
                </td>
                <td className="still">{kind}</td>
                <td>
                  <State name={shadow ? "idle" : "done"} label={shadow ? "watches" : "enforced"} />
                </td>
                <td className="cycles">
                  {cycles.length === 0 && <span className="faint">no cycle</span>}
                  {cycles.map((cycle, index) => (
                    <span key={cycle}>
                      {index > 0 && ", "}
                      <Link className="still" href={`/workflows/${cycle}`}>
                        {cycle}
                      </Link>
                    </span>
                  ))}
                </td>
                <td className="number">
                  <BacktestButton what={id} onBacktest={() => props.onBacktest(id)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
