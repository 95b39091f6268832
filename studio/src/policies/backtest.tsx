import { useEffect, useRef, useState } from "react";
import type { BacktestReportV1 } from "../../../src/core/contracts/generated/types.ts";
import { type Problem, problemOf, send } from "../api/client.ts";
import { useWhyNot } from "../api/rights.ts";
import { Loading, Trouble } from "../ui/notes.tsx";
import { useFragment } from "../ui/use-fragment.ts";
import { BacktestReport } from "./backtest-report.tsx";
import type { Policies, Question } from "./policies.ts";

type State =
  | { readonly state: "idle" }
  | { readonly state: "asking" }
  | { readonly state: "there"; readonly report: BacktestReportV1 }
  | { readonly state: "failed"; readonly problem: Problem };

const day = 86_400_000;

/**
 * A rule applied to the recorded past. A policy can be changed here and tried as a draft. The draft is not stored, and a
 * backtest calls no model and no tool.
 */
export function Backtest(props: {
  readonly rules: Policies;
  readonly question: Question | null;
  readonly onAsk: (question: Question) => void;
}) {
  const { rules, question } = props;
  const [state, setState] = useState<State>({ state: "idle" });
  const policy = rules.policies.find(({ id }) => id === question?.rule);
  // The judged draft is in the address: a reader who gets the address sees the same draft and its result.
  const [sent, setSent] = useFragment("draft");
  const judged = policy ? sent : null;
  const [draft, setDraft] = useState(judged);
  const whyNoHook = useWhyNot("order.submit");
  const panel = useRef<HTMLElement>(null);
  const round = useRef(0);
  const ask = async (text: string | null) => {
    if (!question) return;
    const mine = ++round.current;
    // Of two concurrent requests the result of the later one counts, whichever arrives first.
    const settle = (next: State) => mine === round.current && setState(next);
    setState({ state: "asking" });
    const since = question.days === null ? {} : { since: new Date(Date.now() - question.days * day).toISOString() };
    const rule = text === null ? { policy: question.rule } : { text };
    try {
      const report = await send<BacktestReportV1>("POST", "/policies/backtest", { ...rule, ...since });
      settle({ state: "there", report });
    } catch (thrown) {
      settle({ state: "failed", problem: problemOf(thrown) });
    }
  };
  const asked = question && `${question.rule} ${question.days}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a question is asked once, when the address names it
  useEffect(() => {
    setDraft(judged);
    setState({ state: "idle" });
    if (!asked) return;
    panel.current?.scrollIntoView({ block: "nearest" });
    void ask(judged);
  }, [asked, judged]);
  return (
    <section className="panel" ref={panel} aria-label="Backtest">
      <div className="title">
        <h2>Backtest</h2>
        <span className="soft">What would a rule have decided over the recorded past?</span>
      </div>
      <div className="body stack">
        <div className="row">
          <label className="row">
            Rule
            <select
              className="field"
              value={question?.rule ?? ""}
              onChange={({ target }) => props.onAsk({ rule: target.value, days: question?.days ?? null })}
            >
              <option value="" disabled>
                choose one
              </option>
              <optgroup label="Policies">
                {[...new Set(rules.policies.map(({ id }) => id))].map((id) => (
                  <option key={id}>{id}</option>
                ))}
              </optgroup>
              <optgroup label={whyNoHook === null ? "Hooks" : `Hooks. ${whyNoHook}`} disabled={whyNoHook !== null}>
                {[...new Set(rules.hooks.map(({ id }) => id))].map((id) => (
                  <option key={id}>{id}</option>
                ))}
              </optgroup>
            </select>
          </label>
          <label className="row">
            Over
            <select
              className="field"
              value={question?.days ?? ""}
              disabled={!question}
              onChange={({ target }) =>
                question && props.onAsk({ ...question, days: target.value === "" ? null : Number(target.value) })
              }
            >
              <option value="">all sessions</option>
              <option value="1">the last day</option>
              <option value="7">the last week</option>
              <option value="30">the last 30 days</option>
            </select>
          </label>
          {policy && draft === null && (
            <button type="button" className="button" onClick={() => setSent(policy.text)}>
              Try a change
            </button>
          )}
        </div>
        {policy && draft !== null && (
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault();
              if (draft === judged) void ask(draft);
              else setSent(draft);
            }}
          >
            <label className="stack">
              <span className="soft">A draft of {policy.id}: judged over the past, kept nowhere.</span>
              <textarea
                className="field wide mono"
                rows={Math.min(24, draft.split("\n").length + 1)}
                spellCheck={false}
                value={draft}
                onChange={({ target }) => setDraft(target.value)}
              />
            </label>
            <div className="row">
              <button type="submit" className="button primary" disabled={state.state === "asking"}>
                Backtest the draft
              </button>
              <button type="button" className="button quiet" onClick={() => setSent(null)}>
                Leave it
              </button>
            </div>
          </form>
        )}
        {!question && (
          <p className="soft">
            Choose a policy or hook. Recorded sessions are read and proven, the rule is asked again about everything
            that was asked then, and what it would have decided otherwise is listed. No model and no tool is called. On
            the command line: <code>writ policy backtest</code>.
          </p>
        )}
        {state.state === "asking" && <Loading what="the recorded past" />}
        {state.state === "failed" && <Trouble problem={state.problem} retry={() => void ask(draft)} />}
        {state.state === "there" && <BacktestReport report={state.report} />}
      </div>
    </section>
  );
}
