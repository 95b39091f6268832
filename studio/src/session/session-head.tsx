import { useState } from "react";
import { Link } from "wouter";
import { problemOf, send } from "../api/client.ts";
import { useWhyNot } from "../api/rights.ts";
import { HaltDialog } from "../halts/halt-dialog.tsx";
import { Act } from "../ui/act.tsx";
import { Copy, shortId } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { count, usd } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { Ago, duration } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { VerificationBadge } from "../verify/badge.tsx";
import { answerIn } from "./answer.ts";
import { FourAnswers } from "./answers.tsx";
import type { Opening, Outline } from "./opening.ts";
import { rightsIn } from "./rights.ts";
import { askedOf, stateOfSession } from "./state-of-session.ts";

/** What was asked, what was answered and under which law come first. */
export function SessionHead(props: {
  readonly opening: Opening;
  readonly outline: Outline | null;
  readonly selected: number | null;
  readonly replaying: boolean;
  readonly onReplay: () => void;
  readonly onFork: () => void;
  readonly onChanged: () => void;
  readonly onGo: (seq: number) => void;
}) {
  const { info, asked, waiting } = props.opening;
  // Who reads on sees what came since: the outline is the younger of the two.
  const { state, halted } = props.outline ?? props.opening;
  const [halting, setHalting] = useState(false);
  const snapshot = props.outline?.snapshot;
  const limit = rightsIn(props.opening)?.usdLimit ?? null;
  const mayDecide = useWhyNot("approve") === null;
  const [failure, setFailure] = useState<string | null>(null);
  const act = async (path: string, body: unknown) => {
    try {
      await send("POST", `/sessions/${info.session_id}/${path}`, body);
      setFailure(null);
      props.onChanged();
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <div className="stack">
      <header className="head">
        <h1 className="clip">{visible(asked ?? askedOf(info))}</h1>
        <State {...stateOfSession({ ...info, state })} />
        {info.refused_acts !== undefined && (
          <State name="denied" label={`${count(info.refused_acts)} outside the order`} />
        )}
        <Copy value={info.session_id} shown={shortId(info.session_id)} />
        <span className="soft">
          {duration(Date.parse(info.last_at) - Date.parse(info.started_at))}
          {snapshot && (
            <>
              {" "}
              · {count(snapshot.cost.input + snapshot.cost.output)} tok · {usd(snapshot.cost.usd)}
              {limit !== null && ` of ${usd(limit)}`}
            </>
          )}
        </span>
        <span className="grow" />
        <VerificationBadge session_id={info.session_id} head={info.head_hash} events={info.events} />
        <button type="button" className="button" aria-pressed={props.replaying} onClick={props.onReplay}>
          Replay
        </button>
        <Act
          right="session.fork"
          onAct={props.onFork}
          about="Starts a linked session from here; what is recorded is not called again"
        >
          Fork{props.selected === null ? "" : ` at #${props.selected}`}
        </Act>
        <Link className="button" href={`/compare?left=${info.session_id}`}>
          Compare
        </Link>
        {(state === "running" || state === "waiting") && (
          <Act right="session.halt" tone="danger" onAct={() => setHalting(true)}>
            Halt
          </Act>
        )}
        {(state === "halted" || state === "interrupted") && (
          <Act right="session.resume" tone="primary" onAct={() => void act("resume", {})}>
            Resume
          </Act>
        )}
      </header>
      {halting && (
        <HaltDialog
          what="Halt this session"
          about="Its running calls are cancelled. Once the halt is lifted, it can be resumed where it stopped."
          onHalt={(reason) => {
            setHalting(false);
            void act("halt", { reason });
          }}
          onClose={() => setHalting(false)}
        />
      )}
      {state === "halted" && halted && (
        <div className="note wait">
          Halted by <strong>{visible(halted.by)}</strong>, <Ago ts={halted.at} />: {visible(halted.reason)}. It goes on
          where it stopped with “Resume”, once no halt stands.
        </div>
      )}
      {state === "interrupted" && (
        <div className="note wait">
          Nobody is at it: its process was stopped or killed. “Resume” goes on where the record ends; what was done is
          not done again.
        </div>
      )}
      <Failure message={failure} />
      {waiting.map((approval) => (
        <div key={approval.approval_id} className="note wait row">
          <span className="grow">
            <strong>{visible(approval.title)}</strong> <span className="soft">{visible(approval.reason)}</span>
          </span>
          <Link className="button" href={`/inbox/${approval.approval_id}`}>
            {mayDecide ? "Decide" : "Look"}
          </Link>
        </div>
      ))}
      <Cards opening={props.opening} outline={props.outline} onGo={props.onGo} />
    </div>
  );
}

function Cards({
  opening,
  outline,
  onGo,
}: {
  readonly opening: Opening;
  readonly outline: Outline | null;
  readonly onGo: (seq: number) => void;
}) {
  const { info, asked, caller_id } = opening;
  const rights = rightsIn(opening);
  const snapshot = outline?.snapshot;
  const answer = snapshot ? (answerIn(snapshot.output) ?? snapshot.reason) : null;
  return (
    <>
      <div className="cards">
        <section className="card" tabIndex={0} aria-label="Asked">
          <h3>Asked</h3>
          <p className="said">{visible(asked ?? "This session has no prompt of its own.")}</p>
          <p className="soft">
            by {visible(caller_id ?? "unknown")}, <Ago ts={info.started_at} />
            {info.parent_session_id && (
              <>
                {" "}
                · from <Link href={`/sessions/${info.parent_session_id}`}>{shortId(info.parent_session_id)}</Link> ·{" "}
                <Link href={`/compare?left=${info.parent_session_id}&right=${info.session_id}`}>compare</Link>
              </>
            )}
          </p>
        </section>
        <section className="card" tabIndex={0} aria-label="Answered">
          <h3>Answered</h3>
          {outline ? (
            <p className={`said${info.ok === false ? " not" : ""}`}>
              {visible(answer ?? (info.closed ? "No output." : "Not yet."))}
            </p>
          ) : (
            <p className="said faint">Adding up {count(info.events)} events …</p>
          )}
          {(snapshot?.verdict === "pass" || snapshot?.verdict === "fail") && (
            <p className={snapshot.verdict === "fail" ? "not" : "soft"}>review: {snapshot.verdict}</p>
          )}
          {snapshot?.workflow && (
            <p className="soft">
              cycle{" "}
              <Link href={`/workflows/${snapshot.workflow.cycle_id}?session=${info.session_id}`}>
                {snapshot.workflow.cycle_id}
              </Link>
              , {snapshot.workflow.verdict ?? `in ${snapshot.workflow.phase ?? "its first phase"}`}
            </p>
          )}
        </section>
      </div>
      <FourAnswers answers={outline?.answers ?? null} onGo={onGo} />
      {rights && (
        <p className="granted soft">
          granted: tools {rights.tools.map(visible).join(", ") || "none"} · writes{" "}
          {rights.writes.map(visible).join(", ") || "none"}
          {outline && snapshot && (
            <>
              {" "}
              · {count(snapshot.gates.allow)} gates allowed, {count(outline.denied)} denied
              {snapshot.gates.refused > 0 && `, ${count(snapshot.gates.refused)} refused`}
            </>
          )}
        </p>
      )}
    </>
  );
}
