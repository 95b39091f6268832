import { useState } from "react";
import { Link } from "wouter";
import { problemOf, send } from "../api/client.ts";
import type { SessionDetail } from "../api/types.ts";
import { Copy, shortId } from "../ui/copy.tsx";
import { count, usd } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { Ago, duration } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { VerificationBadge } from "../verify/badge.tsx";
import { stateOfSession } from "./state-of-session.ts";

/** What was asked, what was answered and under which law come first. */
export function SessionHead(props: {
  readonly detail: SessionDetail;
  readonly selected: number | null;
  readonly replaying: boolean;
  readonly onReplay: () => void;
  readonly onFork: () => void;
  readonly onChanged: () => void;
}) {
  const { info, snapshot, asked, caller_id, waiting = [] } = props.detail;
  const [failure, setFailure] = useState<string | null>(null);
  const state = stateOfSession(info);
  const order = snapshot.work_order;
  const act = async (path: string, body: unknown) => {
    try {
      await send("POST", `/sessions/${info.session_id}/${path}`, body);
      props.onChanged();
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <div className="stack">
      <header className="head">
        <h1 className="clip">{visible(asked ?? snapshot.work_order?.work_order_id ?? info.session_id)}</h1>
        <Copy value={info.session_id} shown={shortId(info.session_id)} />
        <State {...state} />
        <span className="soft">
          {duration(Date.parse(info.last_at) - Date.parse(info.started_at))} ·{" "}
          {count(snapshot.cost.input + snapshot.cost.output)} tok · {usd(snapshot.cost.usd)}
        </span>
        <span className="grow" />
        <VerificationBadge session_id={info.session_id} head={info.head_hash} />
        <button type="button" className="button" aria-pressed={props.replaying} onClick={props.onReplay}>
          Replay
        </button>
        <button
          type="button"
          className="button"
          onClick={props.onFork}
          title="Starts a linked session from here; what is recorded is not called again"
        >
          Fork {props.selected === null ? "" : `at #${props.selected}`}
        </button>
        <Link className="button" href={`/compare?left=${info.session_id}`}>
          Compare
        </Link>
        {info.closed ? null : (
          <button
            type="button"
            className="button danger"
            onClick={() => act("halt", { reason: "halted in the studio" })}
          >
            Halt
          </button>
        )}
        {!info.closed && info.status === "halted" && (
          <button type="button" className="button" onClick={() => act("resume", {})}>
            Resume
          </button>
        )}
      </header>
      {failure && (
        <div className="note bad" role="alert">
          {failure}
        </div>
      )}
      {waiting.length > 0 && (
        <div className="note wait">
          Waits for a person: <Link href={`/inbox/${waiting[0]?.approval_id}`}>{waiting[0]?.title}</Link>
        </div>
      )}
      <div className="cards">
        <section className="card">
          <h3>Asked</h3>
          <p className="said">{visible(asked ?? "This session has no prompt of its own.")}</p>
          <p className="soft">
            by {caller_id ?? "unknown"}, <Ago ts={info.started_at} />
          </p>
        </section>
        <section className="card">
          <h3>Answered</h3>
          <p className="said">
            {visible(snapshot.output ?? snapshot.reason ?? (info.closed ? "No output." : "Not yet."))}
          </p>
          <p className="soft">review: {snapshot.verdict ?? "none"}</p>
        </section>
        <section className="card">
          <h3>Law</h3>
          <p>
            {order?.work_order_id ?? "no work order"} · {order?.framework_id ?? ""} · {order?.agent_class ?? ""}
          </p>
          <p className="soft">skill: {snapshot.skills.join(", ") || "none"}</p>
          <p className="soft">
            gates: {snapshot.gates.allow} allowed, {snapshot.gates.deny} stopped, {snapshot.gates.refused} refused
          </p>
          {snapshot.workflow && (
            <p className="soft">
              cycle{" "}
              <Link href={`/workflows/${snapshot.workflow.cycle_id}?session=${info.session_id}`}>
                {snapshot.workflow.cycle_id}
              </Link>
              , {snapshot.workflow.verdict ?? `in ${snapshot.workflow.phase ?? "its first phase"}`}
            </p>
          )}
          {info.parent_session_id && (
            <p className="soft">
              from <Link href={`/sessions/${info.parent_session_id}`}>{shortId(info.parent_session_id)}</Link>
            </p>
          )}
        </section>
      </div>
    </div>
  );
}
