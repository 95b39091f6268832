import { Link, useLocation, useSearch } from "wouter";
import type { EvalReportV1 } from "../../../src/schemas/generated/types.ts";
import { useGet } from "../api/use-get.ts";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { EvalReport } from "./eval-report.tsx";

interface Evals {
  readonly results: readonly EvalReportV1[];
}

/** Every run of every suite; one of them in full, with what it is compared with. */
export function EvalsPage() {
  const { answer, again } = useGet<Evals>("/evals");
  const [, go] = useLocation();
  const params = new URLSearchParams(useSearch());
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
  const suites = [...new Set(results.map(({ suite }) => suite))];
  const suite = params.get("suite");
  const chosen =
    results.find((each) => each.suite === suite && each.ran_at === params.get("ran")) ??
    results.find((each) => each.suite === suite) ??
    results[0];
  const baseline = results.find((each) => each.suite === chosen?.suite && each.ran_at === chosen.baseline);
  return (
    <div className="page">
      <header>
        <h1>Evals</h1>
      </header>
      {results.length === 0 && (
        <Empty title="No suite yet" command="writ eval evals/greet.yaml --save-baseline">
          A suite is a list of cases that run through flows and are graded by schema, expression, command or model. Its
          reports are kept and shown here, beside the baseline.
        </Empty>
      )}
      {suites.map((name) => (
        <section className="panel" key={name} aria-label={`Suite ${name}`}>
          <div className="title">
            <h2>{name}</h2>
          </div>
          <table className="table">
            <thead>
              <tr>
                <th>ran</th>
                <th>verdict</th>
                <th>profile</th>
                <th className="number">passed</th>
                <th className="number">failed</th>
                <th className="number">worse than the baseline</th>
                <th className="number">tokens</th>
                <th className="number">usd</th>
              </tr>
            </thead>
            <tbody>
              {results
                .filter((result) => result.suite === name)
                .map((result) => (
                  <tr key={result.ran_at} className="leads" data-selected={result === chosen}>
                    <td>
                      <Link href={addressOf(result)} {...(result === chosen ? { "aria-current": "true" } : {})}>
                        <Ago ts={result.ran_at} />
                      </Link>
                    </td>
                    <td>
                      <State name={isBad(result) ? "failed" : "done"} />
                    </td>
                    <td>{result.profile ?? "default"}</td>
                    <td className="number">{result.passed}</td>
                    <td className="number">{result.failed}</td>
                    <td className="number">{result.baseline ? (result.regressions?.length ?? 0) : "no baseline"}</td>
                    <td className="number">{result.tokens ?? 0}</td>
                    <td className="number">{(result.usd ?? 0).toFixed(4)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </section>
      ))}
      {chosen && (
        <EvalReport
          key={`${chosen.suite} ${chosen.ran_at}`}
          report={chosen}
          baseline={baseline}
          wanted={params.get("case")}
          onCase={(id) => go(`${addressOf(chosen)}${id === null ? "" : `&case=${encodeURIComponent(id)}`}`)}
        />
      )}
    </div>
  );
}

/** With a baseline only what got worse counts; without one, every failure. */
function isBad({ baseline, regressions, failed }: EvalReportV1): boolean {
  return (baseline ? (regressions?.length ?? 0) : failed) > 0;
}

function addressOf({ suite, ran_at }: EvalReportV1): string {
  return `/evals?${new URLSearchParams({ suite, ran: ran_at })}`;
}
