import { Link, useLocation, useSearch } from "wouter";
import type { EvalReportV1 } from "../../../src/core/contracts/generated/types.ts";
import { useGet } from "../api/use-get.ts";
import { Columns } from "../ui/columns.tsx";
import { Empty } from "../ui/notes.tsx";
import { count, usd } from "../ui/numbers.ts";
import { Panel } from "../ui/panel.tsx";
import { ReadingPage } from "../ui/reading.tsx";
import { State, type StateName } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { EvalReport } from "./eval-report.tsx";

interface Evals {
  readonly results: readonly EvalReportV1[];
}

/** Every run of every suite; one of them in full, with what it is compared with. */
export function EvalsPage() {
  return (
    <ReadingPage what="evals" read={useGet<Evals>("/evals")}>
      {(evals) => <Suites {...evals} />}
    </ReadingPage>
  );
}

function Suites({ results }: Evals) {
  const [, go] = useLocation();
  const params = new URLSearchParams(useSearch());
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
        <Panel key={name} title={name} label={`Suite ${name}`}>
          <table className="table">
            <Columns names={["ran", "verdict", "profile", "#passed", "#failed", "#got worse", "#tokens", "#cost"]} />
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
                      <State {...verdictOf(result)} />
                    </td>
                    <td>{result.profile ?? "default"}</td>
                    <td className="number">{result.passed}</td>
                    <td className="number">{result.failed}</td>
                    <td className="number">
                      {result.baseline ? (result.regressions?.length ?? 0) : <span className="faint">no baseline</span>}
                    </td>
                    <td className="number">{count(result.tokens ?? 0)}</td>
                    <td className="number">{usd(result.usd ?? 0)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </Panel>
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
function verdictOf({ baseline, regressions, failed }: EvalReportV1): {
  readonly name: StateName;
  readonly label: string;
} {
  if (baseline && (regressions?.length ?? 0) > 0) return { name: "failed", label: "worse" };
  if (failed === 0) return { name: "done", label: "pass" };
  return baseline ? { name: "done", label: "no worse" } : { name: "failed", label: "fail" };
}

function addressOf({ suite, ran_at }: EvalReportV1): string {
  return `/evals?${new URLSearchParams({ suite, ran: ran_at })}`;
}
