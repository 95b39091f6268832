import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import { Link } from "wouter";
import type { SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { askedOf, stateOfSession } from "../session/state-of-session.ts";
import { shortId } from "../ui/copy.tsx";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { count } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { Ago, duration } from "../ui/time.tsx";
import { useParam } from "../ui/use-param.ts";
import { visible, visiblePart } from "../ui/visible.ts";
import { type DiffStep, stepTexts } from "./step-lines.ts";

interface Half extends DiffStep {
  readonly kind: string;
  readonly seq: number;
  readonly tokens?: number;
}
interface Step {
  readonly state: string;
  readonly a?: Half | null;
  readonly b?: Half | null;
}
interface SessionDiff {
  readonly same: boolean;
  readonly steps: readonly Step[];
}

const words: Readonly<Record<string, string>> = {
  same: "the same",
  changed: "changed",
  only_a: "only on the left",
  only_b: "only on the right",
};

/** Two sessions side by side, aligned by step, differences marked. */
export function ComparePage() {
  const [left, setLeft] = useParam("left", { push: true });
  const [right, setRight] = useParam("right", { push: true });
  const [shownSteps, setSteps] = useParam("steps");
  const onlyDifferent = shownSteps !== "all";
  const { answer: list } = useGet<{ sessions: readonly SessionInfo[] }>("/sessions?limit=200");
  const sessions = list.state === "there" ? list.value.sessions : [];
  const { answer, again } = useGet<SessionDiff>(left && right ? `/sessions/${left}/diff?with=${right}` : null);
  const steps = answer.state === "there" ? answer.value.steps : [];
  const different = steps.filter((step) => step.state !== "same");
  return (
    <div className="page">
      <header>
        <h1>Compare</h1>
        {answer.state === "there" && (
          <span className="soft">
            {count(different.length)} of {count(steps.length)} steps differ
          </span>
        )}
        <span className="grow" />
        <label className="row soft">
          <input
            type="checkbox"
            checked={onlyDifferent}
            onChange={({ target }) => setSteps(target.checked ? null : "all")}
          />
          only differences
        </label>
      </header>
      <div className="pair">
        <Chosen side="left" id={left ?? ""} sessions={sessions} onChoose={setLeft} />
        <Chosen side="right" id={right ?? ""} sessions={sessions} onChoose={setRight} />
      </div>
      {(!left || !right) && (
        <Empty title="Choose two sessions">
          A fork and its parent, yesterday's run and today's: their steps are put side by side, and what differs is
          marked.
        </Empty>
      )}
      {left && right && answer.state === "loading" && <Loading what="both sessions" />}
      {answer.state === "failed" && <Trouble problem={answer.problem} retry={again} />}
      {answer.state === "there" && answer.value.same && (
        <Empty title="No difference">The two took the same steps with the same results.</Empty>
      )}
      {left &&
        right &&
        (onlyDifferent ? different : steps).map((step) => (
          <StepPair
            key={`${step.a?.seq ?? ""} ${step.b?.seq ?? ""}`}
            step={step}
            left={left}
            right={right}
            onlyDifferent={onlyDifferent}
          />
        ))}
    </div>
  );
}

function hasOtherArguments({ a, b }: Step): boolean {
  return a != null && b != null && a.label !== b.label;
}

/** What both sides did; where their arguments differ, each side shows its own below. */
function titleOf(step: Step): string {
  const either = step.a ?? step.b;
  return (hasOtherArguments(step) ? either?.name : either?.label) ?? "";
}

function Chosen(props: {
  readonly side: "left" | "right";
  readonly id: string;
  readonly sessions: readonly SessionInfo[];
  readonly onChoose: (id: string) => void;
}) {
  const info = props.sessions.find(({ session_id }) => session_id === props.id);
  return (
    <section className="panel body stack">
      <select
        className="field wide"
        aria-label={`The session on the ${props.side}`}
        value={props.id}
        onChange={(event) => props.onChoose(event.target.value)}
      >
        <option value="">choose a session</option>
        {props.id && !info && <option value={props.id}>{shortId(props.id)}</option>}
        {props.sessions.map((one) => (
          <option key={one.session_id} value={one.session_id}>
            {visible(askedOf(one).slice(0, 60))} · {shortId(one.session_id)}
          </option>
        ))}
      </select>
      {info && (
        <span className="row">
          <State {...stateOfSession(info)} />
          <Link href={`/sessions/${info.session_id}`}>{shortId(info.session_id)}</Link>
          <span className="soft">
            {count(info.events)} events · {duration(Date.parse(info.last_at) - Date.parse(info.started_at))} ·{" "}
            <Ago ts={info.started_at} />
          </span>
        </span>
      )}
    </section>
  );
}

function StepPair(props: {
  readonly step: Step;
  readonly left: string;
  readonly right: string;
  readonly onlyDifferent: boolean;
}) {
  const { step, left, right, onlyDifferent } = props;
  const isChanged = step.state === "changed";
  const [a, b] = useMemo(() => stepTexts(step.a, step.b, onlyDifferent && isChanged), [step, onlyDifferent, isChanged]);
  const parts = useMemo(() => (isChanged ? diffWordsWithSpace(a, b) : null), [isChanged, a, b]);
  return (
    <section className={`panel step ${step.state}`}>
      <div className="title">
        <h2 className="clip">{visible(titleOf(step))}</h2>
        <span className="grow" />
        <span className={step.state === "same" ? "faint" : "state waiting"}>
          {hasOtherArguments(step) ? "other arguments" : (words[step.state] ?? step.state)}
        </span>
      </div>
      <div className="pair">
        {(
          [
            ["removed", step.a, a, left],
            ["added", step.b, b, right],
          ] as const
        ).map(([mark, half, said, session_id]) => (
          <div key={mark} className="body">
            {half ? (
              <>
                <pre className="mono">
                  {parts
                    ? parts.map((part, index) =>
                        part[mark === "removed" ? "added" : "removed"] ? null : (
                          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
                          <span key={index} className={part[mark] ? mark : ""}>
                            {visiblePart(part.value)}
                          </span>
                        ),
                      )
                    : visible(said)}
                </pre>
                <Link href={`/sessions/${session_id}?view=all&event=${half.seq}`}>#{half.seq}</Link>
              </>
            ) : (
              <span className="faint">not taken</span>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}
