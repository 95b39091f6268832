import type { EvalReportV1 } from "../../../src/schemas/generated/types.ts";
import { useGet } from "../api/use-get.ts";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

interface Evals {
  readonly results: readonly EvalReportV1[];
}

export function EvalsPage() {
  const { answer, again } = useGet<Evals>("/evals");
  if (answer.state === "loading")
    return (
      <div className="page">
        <Loading what="evals" />
      </div>
    );
  if (answer.state === "failed")
    return (
      <div className="page">
        <Trouble problem={answer.problem} retry={again} />
      </div>
    );
  const { results } = answer.value;
  return (
    <div className="page">
      <header>
        <h1>Evals</h1>
      </header>
      {results.length === 0 && (
        <Empty title="No suite yet" command="writ eval evals/greet.yaml">
          A suite is a list of cases that run through flows and are graded by schema, expression, command or model.
        </Empty>
      )}
      {results.length > 0 && (
        <div className="panel">
          <table className="table">
            <thead>
              <tr>
                <th>suite</th>
                <th>verdict</th>
                <th className="number">passed</th>
                <th className="number">failed</th>
                <th className="number">worse than before</th>
                <th className="number">ran</th>
              </tr>
            </thead>
            <tbody>
              {results.map((result) => (
                <tr key={`${result.suite} ${result.ran_at}`}>
                  <td>{result.suite}</td>
                  <td>
                    <State
                      name={
                        (result.baseline ? (result.regressions?.length ?? 0) : result.failed) > 0 ? "failed" : "done"
                      }
                    />
                  </td>
                  <td className="number">{result.passed}</td>
                  <td className="number">{result.failed}</td>
                  <td className="number">{result.regressions?.length ?? 0}</td>
                  <td className="number soft">
                    <Ago ts={result.ran_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
