import { useCallback, useState } from "react";
import { type Problem, problemOf, send } from "../api/client.ts";
import type { Approval } from "../api/types.ts";
import { AnswerFields, type Fields } from "../pages/answer-fields.tsx";
import { labelOf } from "../pages/approval-texts.ts";
import { Trouble } from "../ui/notes.tsx";
import { Ago } from "../ui/time.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { visible } from "../ui/visible.ts";
import type { AnswerChoice } from "./answers.ts";
import { Confirm } from "./confirm.tsx";

/** How long an answer can be taken back before anything comes of it. */
const undoSeconds = 5;

interface PanelProps {
  readonly approval: Approval;
  readonly me: string | null;
  readonly whyNot: string | null;
  /** It has been drawn. */
  readonly isSeen: boolean;
  /** It is no longer what the reader has before them. */
  readonly isChanged: boolean;
  readonly onAnswered: (now: Approval) => void;
  /** Another person was faster, or its time is over: it is read again. */
  readonly onLost: () => void;
}

/** The answer: chosen, confirmed, taken back while nothing has come of it; or what became of the question. */
export function AnswerPanel(props: PanelProps) {
  const { approval, me } = props;
  if (approval.state !== "open") return <Ended approval={approval} />;
  const voices = approval.decided_by?.split(" + ") ?? [];
  const isOwn = me !== null && voices.includes(me);
  // A first yes of another person leaves the second to this reader.
  const people = approval.demands?.people ?? 1;
  const isAsked = approval.choice === null || (!isOwn && !approval.counts_at && voices.length < people);
  return (
    <>
      {approval.choice !== null && <Said {...props} isOwn={isOwn} lacksSecond={voices.length < people} />}
      {isAsked ? <Answer {...props} /> : !isOwn && !approval.counts_at && <Answer {...props} />}
    </>
  );
}

function Ended({ approval }: { readonly approval: Approval }) {
  return (
    <p className="soft" role="status">
      {approval.state} by {visible(approval.decided_by ?? "nobody")}
      {approval.decided_at && (
        <>
          , <Ago ts={approval.decided_at} />
        </>
      )}
      {approval.decision_reason && `: ${visible(approval.decision_reason)}`}
    </p>
  );
}

/** A word that was said and has had no effect yet. */
function Said({
  approval,
  isOwn,
  lacksSecond,
  onAnswered,
  onLost,
}: PanelProps & { readonly isOwn: boolean; readonly lacksSecond: boolean }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const canTakeBack = isOwn && (approval.counts_at != null || lacksSecond);
  const takeBack = async () => {
    if (!canTakeBack) return;
    try {
      onAnswered(await send<Approval>("DELETE", `/approvals/${approval.approval_id}/decision`, {}));
    } catch (thrown) {
      setProblem(problemOf(thrown));
      onLost();
    }
  };
  useKeys({ z: () => void takeBack() });
  const said = `${visible(approval.decided_by ?? "")} said ${labelOf(approval, approval.choice ?? "")}`;
  const why =
    approval.counts_at != null
      ? "Nothing has come of it yet."
      : lacksSecond
        ? "A second person has to say it too."
        : "It was not carried out to its end: repeat it to go on.";
  return (
    <div className="note wait row" role="status">
      <span className="grow">
        {said}. {why}
      </span>
      {canTakeBack && (
        <button type="button" className="button" onClick={() => void takeBack()}>
          take it back <kbd>z</kbd>
        </button>
      )}
      {problem && <Trouble problem={problem} />}
    </div>
  );
}

function Answer({ approval, whyNot, isSeen, isChanged, onAnswered, onLost }: PanelProps) {
  const [reason, setReason] = useState("");
  const [fields, setFields] = useState<Fields>({});
  const [chosen, setChosen] = useState<AnswerChoice | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { approval_id, subject_hash, choices } = approval;
  const answers = approval.answers ?? [];
  const mayAnswer = whyNot === null && isSeen && !isChanged;
  const choose = (answer: AnswerChoice | undefined) => {
    if (!mayAnswer || !answer || (approval.choice !== null && approval.choice !== answer.choice && answer.yes)) return;
    setProblem(null);
    setChosen(answer);
  };
  const decide = useCallback(async () => {
    if (!chosen || !mayAnswer) return;
    try {
      // The hash of what is shown goes along: an approval is bound to these bytes and no others.
      const now = await send<Approval>("POST", `/approvals/${approval_id}/decision`, {
        choice: chosen.choice,
        subject_hash,
        undo_seconds: undoSeconds,
        ...(reason ? { reason } : {}),
        ...(chosen.choice === choices[0] && Object.keys(fields).length > 0 ? { result: fields } : {}),
      });
      onAnswered(now);
    } catch (thrown) {
      setProblem(problemOf(thrown));
      setChosen(null);
      onLost();
    }
  }, [chosen, mayAnswer, approval_id, subject_hash, choices, fields, reason, onAnswered, onLost]);
  const press = () => {
    send("POST", `/approvals/${approval_id}/hold`, { choice: choices[0], subject_hash }).catch((thrown) =>
      setProblem(problemOf(thrown)),
    );
  };
  useKeys({ a: () => choose(answers[0]), d: () => choose(answers.find(({ word }) => word === "deny")) });
  return (
    <>
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
      {chosen && mayAnswer ? (
        <Confirm
          key={chosen.choice}
          approval={approval}
          answer={chosen}
          reason={reason}
          onPress={press}
          onConfirm={() => void decide()}
          onCancel={() => setChosen(null)}
        />
      ) : (
        <div className="row wrap">
          {answers.map((answer, index) => (
            <button
              key={answer.choice}
              type="button"
              className={`button ${index === 0 ? "primary" : answer.yes ? "" : "danger"} ${whyNot === null && !isSeen ? "settling" : ""}`}
              disabled={!mayAnswer || (approval.choice !== null && approval.choice !== answer.choice && answer.yes)}
              onClick={() => choose(answer)}
            >
              {answer.label} …{index === 0 ? <kbd>a</kbd> : answer.word === "deny" ? <kbd>d</kbd> : null}
            </button>
          ))}
          {whyNot !== null && <span className="soft">{visible(whyNot)}</span>}
        </div>
      )}
      {problem && <Trouble problem={problem} />}
    </>
  );
}
