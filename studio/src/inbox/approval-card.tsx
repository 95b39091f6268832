import { useCallback, useEffect, useState } from "react";
import { Link } from "wouter";
import { useWhyNot } from "../api/rights.ts";
import type { Approval } from "../api/types.ts";
import { Readable } from "../pages/readable.tsx";
import { Copy, shortId } from "../ui/copy.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Loading, Trouble } from "../ui/notes.tsx";
import { State } from "../ui/state.tsx";
import { Ago, Until } from "../ui/time.tsx";
import { visible, visibleBytes } from "../ui/visible.ts";
import { AnswerPanel } from "./answer-panel.tsx";
import { shapeOf, stateOf } from "./approval-state.ts";
import { Change, LedTo, Program, Stale } from "./foreseen.tsx";
import { useApproval } from "./use-approval.ts";
import { Values } from "./values.tsx";

/** One question: what will happen, why it is asked, exactly what the answer is bound to, and the answer. */
export function ApprovalCard(props: {
  readonly approval_id: string;
  readonly me: string | null;
  readonly live: number;
  readonly onSettled: (ended: Approval) => void;
}) {
  const { approval, problem, isChanged, isSeen, show, take, again } = useApproval(props.approval_id, props.live);
  const byRole = useWhyNot("approve");
  const { onSettled } = props;
  useEffect(() => {
    if (approval) onSettled(approval);
  }, [approval, onSettled]);
  const [answered, setAnswered] = useState(0);
  const settled = useCallback(
    (now: Approval) => {
      take(now);
      setAnswered((before) => before + 1);
    },
    [take],
  );
  if (!approval && problem) return <Trouble problem={problem} retry={again} />;
  if (!approval)
    return (
      <section className="panel body">
        <Loading what="the request" />
      </section>
    );
  const whyNot = approval.author === props.me ? "You asked for this: somebody else must decide." : byRole;
  const { foreseen } = approval;
  return (
    <section className="panel" aria-label="What would happen" data-hash={approval.subject_hash}>
      <div className="title">
        <h2 className="grow">{visible(approval.title)}</h2>
        {approval.risk && <span className={`risk ${approval.risk}`}>{approval.risk} risk</span>}
        <State name={shapeOf(approval)} label={stateOf(approval)} />
      </div>
      <div className="body stack">
        {approval.state === "open" && <Stale foreseen={foreseen} />}
        <p className="lead-text">{visible(approval.reason)}</p>
        {foreseen?.change && <Change change={foreseen.change} />}
        {foreseen?.program && <Program program={foreseen.program} />}
        <Values subject={approval.subject} />
        <LedTo foreseen={foreseen} />
        <Facts>
          <Fact name="asked by">
            {visible(approval.author)}, <Ago ts={approval.created_at} />
          </Fact>
          <Fact name="session">
            {approval.session_id && (
              <Link href={`/sessions/${approval.session_id}`}>{shortId(approval.session_id)}</Link>
            )}
          </Fact>
          <Fact name="run">
            {approval.run_id && <Link href={`/runs/${approval.run_id}`}>{shortId(approval.run_id)}</Link>}
          </Fact>
          <Fact name="decide">
            {approval.state === "open" && approval.expires_at && (
              <>
                <Until ts={approval.expires_at} />;{" "}
                {approval.on_silence === "waits" ? "it goes on waiting after that" : "after that it counts as denied"}
              </>
            )}
          </Fact>
          <Fact name="bound to">
            <Copy value={approval.subject_hash} shown={`${approval.subject_hash.slice(0, 24)}…`} />
          </Fact>
        </Facts>
        <Readable shown={approval.shown} without={foreseen?.change ? ["content", "edits", "path", "tool"] : []} />
        <h3>Exactly these bytes</h3>
        <pre className="bytes" tabIndex={0} aria-label="The exact arguments">
          {visibleBytes(approval.shown)}
        </pre>
        {approval.hidden.length > 0 && (
          <div className="note wait" role="alert">
            <strong>Holds characters that cannot be seen:</strong>{" "}
            {approval.hidden.map((warning) => `${warning.what} (${warning.code_point})`).join(", ")}
          </div>
        )}
      </div>
      <div className="decide">
        {isChanged && (
          <div className="note bad row" role="alert">
            <span className="grow">What it would do has changed while you read.</span>
            <button type="button" className="button" onClick={show}>
              Show it as it is now
            </button>
          </div>
        )}
        <AnswerPanel
          key={answered}
          approval={approval}
          me={props.me}
          whyNot={whyNot}
          isSeen={isSeen}
          isChanged={isChanged}
          onAnswered={settled}
          onLost={again}
        />
      </div>
    </section>
  );
}
