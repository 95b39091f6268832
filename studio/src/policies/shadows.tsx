import type { ShadowReportV1 } from "../../../src/core/contracts/generated/types.ts";
import { useGet } from "../api/use-get.ts";
import { Columns } from "../ui/columns.tsx";
import { Empty } from "../ui/notes.tsx";
import { Panel } from "../ui/panel.tsx";
import { Reading } from "../ui/reading.tsx";
import { State } from "../ui/state.tsx";
import { useParam } from "../ui/use-param.ts";
import { visible } from "../ui/visible.ts";
import { EventLink, shapeOf } from "./backtest-report.tsx";

/** What policies that only watch decided, beside what was done. */
export function Shadows() {
  const read = useGet<ShadowReportV1>("/policies/shadows");
  return (
    <Panel title="Shadow report" about="policies that only watch, beside what was done" label="Shadow report">
      <div className="body stack">
        <Reading what="the shadows' decisions" read={read}>
          {(report) => (report.decisions.length === 0 ? <NoShadow /> : <Report report={report} />)}
        </Reading>
      </div>
    </Panel>
  );
}

function NoShadow() {
  return (
    <Empty title="No policy watches" command="shadow: true">
      A policy with this line is asked like any other; its decisions are recorded, and change nothing.
    </Empty>
  );
}

function Report({ report }: { readonly report: ShadowReportV1 }) {
  const [shown, setShown] = useParam("shadows");
  const all = shown === "all";
  return (
    <>
      {report.policies.map(({ policy_id, decisions, stricter, looser }) => (
        <p key={policy_id}>
          <strong>{visible(policy_id)}</strong> decided {decisions} times: {stricter} stricter than what was done,{" "}
          {looser} looser, the rest the same.
        </p>
      ))}
      <label className="row">
        <input type="checkbox" checked={all} onChange={({ target }) => setShown(target.checked ? "all" : null)} />
        show those that agree as well
      </label>
      <Decisions decisions={report.decisions.filter(({ change }) => all || change !== "same")} />
    </>
  );
}

function Decisions({ decisions }: { readonly decisions: ShadowReportV1["decisions"] }) {
  if (decisions.length === 0) return <p className="soft">All of them decided as those in force did.</p>;
  return (
    <table className="table">
      <caption className="unseen">Decisions of shadows beside the real ones</caption>
      <Columns names={["event", "phase", "policy", "what was done", "the shadow says", "why"]} />
      <tbody>
        {decisions.map(({ session_id, seq, phase, policy_id, subject, shadow, real, effect, change }) => (
          <tr key={`${session_id} ${seq}`}>
            <td>
              <EventLink session_id={session_id} seq={seq} />
            </td>
            <td>{phase}</td>
            <td>
              {policy_id} <code className="faint">{subject?.slice(0, 10)}</code>
            </td>
            <td>
              <State name={shapeOf(effect)} label={effect} />{" "}
              <span className="faint">{real.map((each) => each.policy_id).join(", ")}</span>
            </td>
            <td>
              <State name="idle" label={`would ${shadow.decision}`} />{" "}
              <span className="soft">{change === "same" ? "" : change}</span>
            </td>
            <td>{visible(shadow.reason)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
