import { Link } from "wouter";
import type { Event } from "../api/types.ts";
import { shortId } from "../ui/copy.tsx";
import { Json } from "../ui/json.tsx";
import { State, type StateName } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";
import type { Cycle } from "./cycle.ts";
import type { Path } from "./use-path.ts";

const shapes: Readonly<Record<string, StateName>> = {
  deny: "denied",
  abort: "failed",
  halted: "waiting",
  manual: "waiting",
  gated: "waiting",
  ask: "waiting",
  repeat: "running",
};

interface Row {
  readonly phase: string;
  readonly who: string;
  readonly decision: string;
  readonly reason: string;
  /** The expression that was true, where one decided. */
  readonly rule?: string | undefined;
  readonly inputs?: unknown;
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
        <thead>
          <tr>
            <th>phase</th>
            <th>decided by</th>
            <th>decision</th>
            <th>because</th>
            <th className="number">event</th>
          </tr>
        </thead>
        <tbody>
          {path.events.map((event) => {
            const row = rowOf(event, cycle);
            if (!row) return null;
            return (
              <tr key={event.seq}>
                <td>{row.phase}</td>
                <td>{visible(row.who)}</td>
                <td>
                  <State name={shapes[row.decision] ?? "done"} label={visible(row.decision)} />
                </td>
                <td>
                  {visible(row.reason)}
                  {row.rule && <code className="rule">{visible(row.rule)}</code>}
                  {row.inputs !== undefined && (
                    <details>
                      <summary>the values it saw</summary>
                      <Json value={row.inputs} />
                    </details>
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

function rowOf(event: Event, cycle: Cycle): Row | undefined {
  switch (event.type) {
    case "workflow.policy_gated": {
      const { phase = "", policy_id, rule, subject, decision, reason, shadow } = event.payload;
      return {
        phase,
        who: `${policy_id}${shadow ? " (shadow)" : ""}`,
        decision,
        reason: subject ? `${reason} (${subject})` : reason,
        rule: ruleOf(cycle, policy_id, rule),
      };
    }
    case "workflow.judged": {
      const { phase, outcome, reason, signals, aggregate } = event.payload;
      const inputs = { ...(signals ? { signals } : {}), ...(aggregate ? { aggregate } : {}) };
      return {
        phase,
        who: "the phase's signals",
        decision: outcome,
        reason,
        rule: cycle.phases.find((one) => one.id === phase)?.advance_signal,
        ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
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

function ruleOf(cycle: Cycle, policy_id: string, rule: number | undefined): string | undefined {
  return rule === undefined ? undefined : cycle.policies.find(({ id }) => id === policy_id)?.rules[rule]?.when;
}
