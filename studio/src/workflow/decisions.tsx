import { Link } from "wouter";
import type { Event } from "../api/types.ts";
import { Columns } from "../ui/columns.tsx";
import { shortId } from "../ui/copy.tsx";
import { Json } from "../ui/json.tsx";
import { More } from "../ui/more.tsx";
import { State, type StateName } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";
import type { Cycle } from "./cycle.ts";
import { factsOf, type Input, ruleInputs, subjectOf } from "./rule-inputs.ts";
import type { Path } from "./use-path.ts";

const shapes: Readonly<Record<string, StateName>> = {
  deny: "denied",
  abort: "failed",
  halted: "waiting",
  manual: "waiting",
  gated: "waiting",
  ask: "waiting",
  repeat: "running",
  fail: "failed",
  failed: "failed",
  blocked: "failed",
  allow: "done",
  advance: "done",
  pass: "done",
  approve: "done",
  done: "done",
};

interface Row {
  readonly phase: string;
  readonly who: string;
  readonly decision: string;
  /** It only watched. */
  readonly shadow?: boolean;
  readonly reason: string;
  /** The expression that was true, where one decided. */
  readonly rule?: string | undefined;
  readonly about?: string | undefined;
  /** All that was known when it was decided. */
  readonly facts?: object | undefined;
}

/** Each gate of the cycle: which policy, which rule, what it saw, what it said. */
export function Decisions({
  session_id,
  path,
  cycle,
}: {
  readonly session_id: string;
  readonly path: Path;
  readonly cycle: Cycle;
}) {
  return (
    <section className="panel">
      <div className="title">
        <h2>What decided</h2>
        <span className="grow" />
        <span className="soft">in session</span>
        <Link href={`/sessions/${session_id}`}>{shortId(session_id)}</Link>
      </div>
      <table className="table top">
        <Columns names={["phase", "decided by", "decision", "because", "#event"]} />
        <tbody>
          {path.events.map((event) => {
            const row = rowOf(event, cycle, path.events);
            if (!row) return null;
            return (
              <tr key={event.seq}>
                <td>{row.phase}</td>
                <td>{visible(row.who)}</td>
                <td>
                  <State name={row.shadow ? "idle" : (shapes[row.decision] ?? "idle")} label={visible(row.decision)} />
                </td>
                <td>
                  {visible(row.reason)}
                  {row.about && <span className="soft"> · {visible(row.about)}</span>}
                  {row.rule && <code className="rule">{visible(row.rule)}</code>}
                  {row.facts && Object.keys(row.facts).length > 0 && (
                    <More
                      id={String(event.seq)}
                      summary={
                        <>
                          the values it saw
                          <Saw inputs={ruleInputs(row.rule ?? "", row.facts)} />
                        </>
                      }
                    >
                      {() => <Json value={row.facts} />}
                    </More>
                  )}
                </td>
                <td className="number">
                  <Link href={`/sessions/${session_id}?view=all&event=${event.seq}`}>#{event.seq}</Link>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {path.events.length === 0 && <p className="body soft">The session has not decided anything yet.</p>}
    </section>
  );
}

/** The values behind the names in a rule. */
function Saw({ inputs }: { readonly inputs: readonly Input[] }) {
  return inputs.map(({ name, value }) => (
    <code key={name} className="saw">
      {visible(name)} <b>{visible(value.slice(0, 200))}</b>
    </code>
  ));
}

function rowOf(event: Event, cycle: Cycle, events: readonly Event[]): Row | undefined {
  switch (event.type) {
    case "workflow.policy_gated": {
      const { phase = "", policy_id, rule, decision, reason, shadow = false } = event.payload;
      // A shadow has the name of the policy beside which it stands.
      const policy = cycle.policies.find((one) => one.id === policy_id && (one.shadow ?? false) === shadow);
      return {
        phase,
        who: `${policy_id}${shadow ? " (shadow)" : ""}`,
        decision: shadow ? `would ${decision}` : decision,
        shadow,
        reason,
        about: subjectOf(event, events),
        rule: rule === undefined ? undefined : policy?.rules[rule]?.when,
        facts: factsOf(event, events, policy),
      };
    }
    case "workflow.judged": {
      const { phase, outcome, reason, signals, aggregate } = event.payload;
      return {
        phase,
        who: "the phase's signals",
        decision: outcome,
        reason,
        rule: cycle.phases.find((one) => one.id === phase)?.advance_signal,
        facts: { ...(aggregate ? { review_aggregate: aggregate } : {}), ...(signals ? { signals } : {}) },
      };
    }
    case "workflow.approval_given": {
      const { phase, by, decision, reason } = event.payload;
      return { phase, who: by, decision, reason };
    }
    case "workflow.signal_failed": {
      const { phase = "", signal, expression, message } = event.payload;
      return { phase, who: signal, decision: "abort", reason: message, rule: expression };
    }
    case "workflow.aborted":
      return { phase: "end", who: "the cycle", decision: "abort", reason: event.payload.reason ?? "" };
    case "workflow.completed":
      return { phase: "end", who: "the cycle", decision: event.payload.verdict, reason: event.payload.reason ?? "" };
    default:
      return undefined;
  }
}
