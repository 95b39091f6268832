import { Link } from "wouter";
import type { EvalReportV1 } from "../../../src/core/contracts/generated/types.ts";
import { Columns } from "../ui/columns.tsx";
import { shortId } from "../ui/copy.tsx";
import { count, usd } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { Ago, duration } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";

type Case = EvalReportV1["cases"][number];
type Repeat = Case["repeats"][number];

/** One report: case by case with its repeats, what each grader said and why, and how it was in the baseline. */
export function EvalReport(props: {
  readonly report: EvalReportV1;
  readonly baseline: EvalReportV1 | undefined;
  readonly wanted: string | null;
  readonly onCase: (id: string | null) => void;
}) {
  const { report, baseline, wanted } = props;
  const gone = (report.regressions ?? []).filter(({ now }) => now === null);
  return (
    <section className="panel" aria-label={`Report of ${report.suite}`} data-testid="eval-report">
      <div className="title">
        <h2>
          {report.suite}, <Ago ts={report.ran_at} />
        </h2>
        <span className="soft">
          {report.baseline ? (
            <>
              beside the baseline of <Ago ts={report.baseline} />
            </>
          ) : (
            <>
              no baseline: <code>writ eval {report.suite} --save-baseline</code> keeps one
            </>
          )}
        </span>
      </div>
      {gone.map(({ case: id, before }) => (
        <div className="note bad" key={id}>
          The case {id} is gone; in the baseline it passed {percent(before)}.
        </div>
      ))}
      <table className="table">
        <Columns names={["case", "verdict", "#repeats", "#passes", "#baseline", "what a grader objects to"]} />
        <tbody>
          {report.cases.map((each) => (
            <CaseRows
              key={each.id}
              each={each}
              before={baseline?.cases.find(({ id }) => id === each.id)}
              isOpen={wanted === each.id}
              onToggle={() => props.onCase(wanted === each.id ? null : each.id)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function CaseRows(props: {
  readonly each: Case;
  readonly before: Case | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const { each, before, isOpen } = props;
  const objection = each.repeats.flatMap(({ grades }) => grades).find(({ passed }) => !passed);
  return (
    <>
      <tr className="leads" data-selected={isOpen}>
        <td>
          <button type="button" className="link" aria-expanded={isOpen} onClick={props.onToggle}>
            {each.id}
          </button>
        </td>
        <td>
          <State name={each.pass_rate === 1 ? "done" : "failed"} label={each.pass_rate === 1 ? "pass" : "fail"} />
        </td>
        <td className="number">{each.repeats.length}</td>
        <td className="number">{percent(each.pass_rate)}</td>
        <td className="number">
          {before ? percent(before.pass_rate) : "new"} {before && step(before.pass_rate, each.pass_rate)}
        </td>
        <td>
          {objection ? `${objection.grader}: ${visible(objection.reason)}` : <span className="faint">nothing</span>}
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6}>
            <div className="stack">
              {each.repeats.map((repeat, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: repeats have no other name and never move
                <RepeatCard key={index} number={index + 1} repeat={repeat} />
              ))}
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

function RepeatCard({ number, repeat }: { readonly number: number; readonly repeat: Repeat }) {
  const { session_id, passed, status, output, grades, tokens = 0, usd: cost = 0, duration_ms = 0 } = repeat;
  return (
    <div className="stack">
      <div className="row">
        <strong>repeat {number}</strong>
        <State name={passed ? "done" : "failed"} label={passed ? "pass" : status === "success" ? "fail" : status} />
        {session_id && <Link href={`/sessions/${session_id}`}>{shortId(session_id)}</Link>}
        <span className="soft">
          {count(tokens)} tokens · {usd(cost)} · {duration(duration_ms)}
        </span>
      </div>
      {typeof output === "string" && <pre className="mono">{visible(output.slice(0, 4000))}</pre>}
      <table className="table">
        <Columns names={["grader", "says", "#score", "why"]} />
        <tbody>
          {grades.map((grade) => (
            <tr key={grade.grader}>
              <td>
                {grade.session_id ? <Link href={`/sessions/${grade.session_id}`}>{grade.grader}</Link> : grade.grader}
              </td>
              <td>
                <State name={grade.passed ? "done" : "failed"} label={grade.passed ? "pass" : "fail"} />
              </td>
              <td className="number">{grade.score ?? ""}</td>
              <td>{visible(grade.reason)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`;
}

/** Better or worse by sign and word, not by colour alone. */
function step(before: number, now: number): string {
  return now === before ? "" : now > before ? "▲ better" : "▼ worse";
}
