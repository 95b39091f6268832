import { useState } from "react";
import type { ShadowReportV1 } from "../../../src/schemas/generated/types.ts";
import { useGet } from "../api/use-get.ts";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { State } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";
import { EventLink, shapeOf } from "./backtest-report.tsx";

/** What policies that only watch decided, beside what was done. */
export function Shadows() {
  const { answer, again } = useGet<ShadowReportV1>("/policies/shadows");
  const [all, setAll] = useState(false);
  return (
    <section className="panel" aria-label="Shadow report">
      <div className="title">
        <h2>Shadow report</h2>
        <span className="soft">Policies that only watch, beside what was done.</span>
      </div>
      {answer.state === "loading" && <Loading what="the shadows' decisions" />}
      {answer.state === "failed" && <Trouble problem={answer.problem} retry={again} />}
      {answer.state === "there" && answer.value.decisions.length === 0 && (
        <Empty title="No policy watches" command="shadow: true">
          A policy with this line is asked like any other; its decisions are recorded, and change nothing.
        </Empty>
      )}
      {answer.state === "there" && answer.value.decisions.length > 0 && (
        <div className="body stack">
          {answer.value.policies.map(({ policy_id, decisions, stricter, looser }) => (
            <p key={policy_id}>
              <strong>{policy_id}</strong> decided {decisions} times: {stricter} stricter than what was done, {looser}{" "}
              looser, the rest the same.
            </p>
          ))}
          <label className="row">
            <input type="checkbox" checked={all} onChange={({ target }) => setAll(target.checked)} />
            show those that agree as well
          </label>
          <Decisions decisions={answer.value.decisions.filter(({ change }) => all || change !== "same")} />
        </div>
      )}
    </section>
  );
}

function Decisions({ decisions }: { readonly decisions: ShadowReportV1["decisions"] }) {
  if (decisions.length === 0) return <p className="soft">All of them decided as those in force did.</p>;
  return (
    <table className="table">
      <caption className="unseen">Decisions of shadows beside the real ones</caption>
      <thead>
        <tr>
          <th>event</th>
          <th>phase</th>
          <th>policy</th>
          <th>what was done</th>
          <th>the shadow says</th>
          <th>why</th>
        </tr>
      </thead>
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
              <State name={shapeOf(shadow.decision)} label={shadow.decision} />{" "}
              <span className="soft">{change === "same" ? "" : change}</span>
            </td>
            <td>{visible(shadow.reason)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
