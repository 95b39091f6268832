import { Link } from "wouter";
import type { BacktestReportV1 } from "../../../src/core/contracts/generated/types.ts";
import { policyKinds } from "../../../src/workflows/policies/policy-kinds.ts";
import { Columns } from "../ui/columns.tsx";
import { shortId } from "../ui/copy.tsx";
import { State, type StateName } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";

type Difference = BacktestReportV1["different"][number];

/** Every decision that would have been different, each leading to its event. */
export function BacktestReport({ report }: { readonly report: BacktestReportV1 }) {
  const { sessions, decisions, different, outcomes, unjudged, corrupt, candidate } = report;
  const reasons = [...new Set(unjudged.map(({ why }) => why))];
  return (
    <div className="stack" data-testid="backtest-report">
      <p role="status">
        <State
          name={different.length + outcomes.length > 0 ? "waiting" : "done"}
          label={different.length === 0 ? "no decision differs" : `${different.length} different`}
        />{" "}
        <strong>{candidate.id}</strong> was asked again {decisions} times in {sessions.judged} of {sessions.read}{" "}
        sessions.
      </p>
      {corrupt.map(({ session_id, code, message }) => (
        <div className="note bad" role="alert" key={session_id}>
          {session_id} does not verify, so nothing of it was judged. {code}: {message}
        </div>
      ))}
      {different.length > 0 && (
        <table className="table">
          <caption className="unseen">Decisions that would have been different</caption>
          <Columns names={["event", "where", "about", "then", "now", "why"]} />
          <tbody>
            {different.map((each) => (
              <Row key={`${each.session_id} ${each.seq} ${each.subject} ${each.hook ?? ""}`} each={each} />
            ))}
          </tbody>
        </table>
      )}
      {outcomes.length > 0 && (
        <table className="table">
          <caption className="unseen">Phases that would have ended otherwise</caption>
          <Columns names={["event", "phase", "ended then", "would end now", "why"]} />
          <tbody>
            {outcomes.map(({ session_id, seq, phase, recorded, now }) => (
              <tr key={`${session_id} ${seq}`}>
                <td>
                  <EventLink session_id={session_id} seq={seq} />
                </td>
                <td>{phase}</td>
                <td>{endOf(recorded)}</td>
                <td>{endOf(now)}</td>
                <td>{visible(now.reason)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {reasons.map((why) => (
        <p className="soft" key={why}>
          {unjudged.filter((each) => each.why === why).length} not judged again: {visible(why)}
        </p>
      ))}
    </div>
  );
}

function Row({ each }: { readonly each: Difference }) {
  const { session_id, seq, phase, point, subject, about, args_hash, recorded, now, change, unasked = [], input } = each;
  const rule = typeof now?.rule === "number" ? `rule ${now.rule + 1}${now.line ? `, line ${now.line}` : ""}` : now?.by;
  return (
    <tr>
      <td>
        <EventLink session_id={session_id} seq={seq} />
      </td>
      <td>{point ?? phase}</td>
      <td>
        {visible(about ?? subject ?? "")}
        {args_hash && <code className="faint"> args {args_hash.slice(0, 10)}</code>}
      </td>
      <td>
        {recorded ? <State name={shapeOf(recorded.decision)} label={recorded.decision} /> : "not asked"}
        {recorded?.by && <span className="faint"> {recorded.by}</span>}
      </td>
      <td>
        {now ? <State name={shapeOf(now.decision)} label={now.decision} /> : "not asked"}{" "}
        <span className="soft">{change === "other" ? "" : change}</span>
      </td>
      <td>
        {visible(now?.reason ?? "")} {rule && <code className="faint">{rule}</code>}
        {now?.expression && <div className="mono soft">{now.expression}</div>}
        {unasked.length > 0 && <div className="soft">not asked then, and might object: {unasked.join(", ")}</div>}
        {input === "rebuilt" && <div className="soft">the input is rebuilt, not proven by its hash</div>}
      </td>
    </tr>
  );
}

export function EventLink({ session_id, seq }: { readonly session_id: string; readonly seq: number }) {
  return (
    <Link href={`/sessions/${session_id}?event=${seq}`}>
      {shortId(session_id)} #{seq}
    </Link>
  );
}

/** Of every kind of policy; only hooks ask. */
const shapes: ReadonlyMap<string, StateName> = new Map<string, StateName>([
  ["ask", "waiting"],
  ...Object.values(policyKinds).flatMap(({ studio }) => Object.entries(studio.marks)),
]);

export function shapeOf(decision: string): StateName {
  return shapes.get(decision) ?? (decision === "allow" ? "done" : "idle");
}

function endOf({ outcome, to }: BacktestReportV1["outcomes"][number]["now"]): string {
  return to === null ? outcome : `${outcome} to ${to}`;
}
