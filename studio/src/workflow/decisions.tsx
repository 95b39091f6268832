import { Link } from "wouter";
import { shortId } from "../ui/copy.tsx";
import { State, type StateName } from "../ui/state.tsx";
import type { Path } from "./use-path.ts";

const shapes: Readonly<Record<string, StateName>> = {
  deny: "denied",
  manual: "waiting",
  gated: "waiting",
  ask: "waiting",
};

/** Each gate of the cycle: which policy, which rule, what it saw, what it said. */
export function Decisions({ session_id, path }: { readonly session_id: string; readonly path: Path }) {
  return (
    <section className="panel">
      <div className="title">
        <h2>What decided</h2>
        <Link href={`/sessions/${session_id}`}>{shortId(session_id)}</Link>
      </div>
      <table className="table">
        <tbody>
          {path.events.map((event) => {
            if (event.type === "workflow.policy_gated") {
              const { phase, policy_id, rule, subject, decision, reason, shadow } = event.payload;
              return (
                <tr key={event.seq}>
                  <td>{phase}</td>
                  <td>
                    {policy_id}
                    {shadow ? " (shadow)" : ""}
                  </td>
                  <td>
                    <State name={shapes[decision] ?? "done"} label={decision} />
                  </td>
                  <td>
                    {reason} <span className="soft">{subject}</span>
                    {rule !== undefined && <code className="faint"> rule {String(rule)}</code>}
                  </td>
                </tr>
              );
            }
            if (event.type === "workflow.phase_advanced")
              return (
                <tr key={event.seq}>
                  <td>{event.payload.from_phase}</td>
                  <td colSpan={2}>→ {event.payload.to_phase}</td>
                  <td className="mono">{event.payload.signal}</td>
                </tr>
              );
            if (event.type === "workflow.completed" || event.type === "workflow.aborted")
              return (
                <tr key={event.seq}>
                  <td>end</td>
                  <td colSpan={2}>{event.payload.verdict}</td>
                  <td>{event.payload.reason}</td>
                </tr>
              );
            return null;
          })}
        </tbody>
      </table>
    </section>
  );
}
