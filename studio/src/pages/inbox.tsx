import { useEffect, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { type Problem, problemOf, send } from "../api/client.ts";
import { useWhyNot } from "../api/rights.ts";
import type { Approval } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Chips } from "../ui/chips.tsx";
import { Copy, shortId } from "../ui/copy.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { State, type StateName } from "../ui/state.tsx";
import { Ago, Until } from "../ui/time.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { visible, visibleBytes } from "../ui/visible.ts";
import { AnswerFields, type Fields } from "./answer-fields.tsx";
import { everyKind, labelOf } from "./approval-texts.ts";
import { AskedBy, decidableFirst } from "./asked-by.tsx";
import { Readable } from "./readable.tsx";

const shapes: Readonly<Record<Approval["state"], StateName>> = {
  open: "waiting",
  approved: "done",
  denied: "denied",
  expired: "idle",
  superseded: "idle",
};

/** One place for everything that waits for a person. */
export function InboxPage({
  approval_id,
  live,
  me,
}: {
  readonly approval_id: string | null;
  readonly live: number;
  readonly me: string | null;
}) {
  const [search] = useSearchParams();
  const wanted = search.get("state") ?? "open";
  const { answer, again } = useGet<{ approvals: readonly Approval[] }>(`/approvals?state=${wanted}&limit=200#${live}`);
  const [, go] = useLocation();
  const mayDecide = useWhyNot("approve") === null;
  const found = answer.state === "there" ? answer.value.approvals : [];
  const approvals = wanted === "open" ? decidableFirst(found, me) : found;
  const at = Math.max(
    0,
    approvals.findIndex((approval) => approval.approval_id === approval_id),
  );
  const step = (by: number) => {
    const next = approvals[Math.max(0, Math.min(approvals.length - 1, at + by))];
    if (next) go(`/inbox/${next.approval_id}?state=${wanted}`);
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  const shown = approval_id ?? approvals[0]?.approval_id ?? null;
  return (
    <div className="page">
      <header>
        <h1>Inbox</h1>
        <Chips
          label="Which requests"
          names={["open", "decided", "all"]}
          chosen={wanted}
          onChoose={(state) => go(`/inbox?state=${state}`)}
        />
      </header>
      {answer.state === "loading" && <Loading what="what waits" />}
      {answer.state === "failed" && <Trouble problem={answer.problem} retry={again} />}
      {answer.state === "there" && approvals.length === 0 && (
        <Empty
          title={wanted !== "open" ? "Nothing was decided yet" : `Nothing waits for ${mayDecide ? "you" : "anybody"}`}
          command='export default () => ({ decision: "ask", reason: "somebody looks first" });'
        >
          {everyKind()} land here. A module hook at PreToolUse that wants you asked:
        </Empty>
      )}
      {shown && (
        <div className="sides">
          <div className="panel" role="list">
            {approvals.map((approval) => (
              <Link
                key={approval.approval_id}
                role="listitem"
                className="pick"
                aria-current={approval.approval_id === shown}
                href={`/inbox/${approval.approval_id}?state=${wanted}`}
              >
                <strong className="clip">{visible(approval.title)}</strong>
                <span className="row">
                  <span className="soft clip grow">
                    <AskedBy approval={approval} me={me} />
                  </span>
                  {wanted !== "open" && <State name={shapes[approval.state]} label={approval.state} />}
                </span>
              </Link>
            ))}
          </div>
          <Card key={shown} approval_id={shown} me={me} live={live} onDecided={again} />
        </div>
      )}
    </div>
  );
}

function Card(props: {
  readonly approval_id: string;
  readonly me: string | null;
  readonly live: number;
  readonly onDecided: () => void;
}) {
  const { answer, again } = useGet<Approval>(`/approvals/${props.approval_id}#${props.live}`);
  const [reason, setReason] = useState("");
  const [fields, setFields] = useState<Fields>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const approval = answer.state === "there" ? answer.value : null;
  const byRole = useWhyNot("approve");
  const whyNot =
    approval !== null && approval.author === props.me ? "You asked for this: somebody else must decide." : byRole;
  const decide = async (choice: string) => {
    if (!approval || approval.state !== "open" || whyNot !== null) return;
    try {
      // The hash of what is shown goes along: an approval is bound to these bytes and no others.
      await send("POST", `/approvals/${approval.approval_id}/decision`, {
        choice,
        subject_hash: approval.subject_hash,
        ...(reason ? { reason } : {}),
        ...(choice === approval.choices[0] && Object.keys(fields).length > 0 ? { result: fields } : {}),
      });
      setProblem(null);
      again();
      props.onDecided();
    } catch (thrown) {
      setProblem(problemOf(thrown));
    }
  };
  useKeys({
    a: () => void decide(approval?.choices[0] ?? "approve"),
    d: () => void decide(approval?.choices[1] ?? "deny"),
  });
  useEffect(() => {
    setReason("");
    setFields({});
  }, [props.approval_id]);
  if (answer.state === "loading")
    return (
      <section className="panel body">
        <Loading what="the request" />
      </section>
    );
  if (answer.state === "failed") return <Trouble problem={answer.problem} retry={again} />;
  if (!approval) return null;
  return (
    <section className="panel" aria-label="What would happen">
      <div className="title">
        <h2 className="grow">{visible(approval.title)}</h2>
        <State name={shapes[approval.state]} label={approval.state} />
      </div>
      <div className="body stack">
        <p className="lead-text">{visible(approval.reason)}</p>
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
          <Fact name="expires">
            {approval.state === "open" && approval.expires_at && <Until ts={approval.expires_at} />}
          </Fact>
          <Fact name="bound to">
            <Copy value={approval.subject_hash} shown={`${approval.subject_hash.slice(0, 24)}…`} />
          </Fact>
        </Facts>
        <Readable shown={approval.shown} />
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
        {approval.state === "open" ? (
          <>
            {approval.choice !== null && (
              <p className="note wait">
                {visible(approval.decided_by ?? "")} said {labelOf(approval, approval.choice)}, and that was not carried
                out to its end: repeat it to go on.
              </p>
            )}
            {whyNot === null && <AnswerFields approval={approval} given={fields} onGiven={setFields} />}
            {whyNot === null && (
              <textarea
                className="field wide"
                rows={2}
                placeholder={approval.kind === "agent_question" ? "Your answer" : "Why (kept in the record)"}
                aria-label="Reason"
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
            <div className="row">
              {approval.choices.map((choice, index) => (
                <button
                  key={choice}
                  type="button"
                  className={`button ${index === 0 ? "primary" : "danger"}`}
                  disabled={whyNot !== null || (approval.choice !== null && approval.choice !== choice)}
                  onClick={() => void decide(choice)}
                >
                  {labelOf(approval, choice)} <kbd>{index === 0 ? "a" : "d"}</kbd>
                </button>
              ))}
              {whyNot !== null && <span className="soft">{visible(whyNot)}</span>}
            </div>
          </>
        ) : (
          <p className="soft">
            {approval.state} by {visible(approval.decided_by ?? "nobody")}
            {approval.decided_at && (
              <>
                , <Ago ts={approval.decided_at} />
              </>
            )}
            {approval.decision_reason && `: ${visible(approval.decision_reason)}`}
          </p>
        )}
        {problem && <Trouble problem={problem} />}
      </div>
    </section>
  );
}
