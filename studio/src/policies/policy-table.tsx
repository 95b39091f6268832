import { Link } from "wouter";
import { Empty } from "../ui/notes.tsx";
import type { Policy } from "./policies.ts";

export function PolicyTable(props: {
  readonly policies: readonly Policy[];
  readonly onBacktest: (id: string) => void;
}) {
  return (
    <section className="panel" aria-label="Policies of cycles">
      <div className="title">
        <h2>Policies of cycles</h2>
      </div>
      {props.policies.length === 0 && (
        <Empty title="No policy yet" command="workflows/policies/severity.md">
          A policy is Markdown with an expression. Write one:
        </Empty>
      )}
      {props.policies.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>policy</th>
              <th>kind</th>
              <th>mode</th>
              <th>asked in</th>
              <th>from</th>
              <th>
                <span className="unseen">backtest</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {props.policies.map(({ id, file, title, kind, shadow, cycles }) => (
              <tr key={file}>
                <td>
                  <strong>{id}</strong> <span className="soft">{title}</span>
                </td>
                <td>{kind}</td>
                <td>{shadow ? "watches" : "enforced"}</td>
                <td>
                  {cycles.length === 0 && <span className="faint">no cycle</span>}
                  {cycles.map((cycle, index) => (
                    <span key={cycle}>
                      {index > 0 && ", "}
                      <Link href={`/workflows/${cycle}`}>{cycle}</Link>
                    </span>
                  ))}
                </td>
                <td className="soft clip">{file}</td>
                <td>
                  <button
                    type="button"
                    className="button quiet"
                    aria-label={`Backtest ${id}`}
                    onClick={() => props.onBacktest(id)}
                  >
                    Backtest
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
