import { memo } from "react";
import { count, usd } from "../ui/numbers.ts";
import { State, type StateName } from "../ui/state.tsx";
import { duration } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { BurnDown } from "./burn-down.tsx";
import type { Outline } from "./opening.ts";
import { UnusedRights } from "./unused-rights.tsx";

function callState(status: string): StateName {
  if (status === "ok") return "done";
  return status === "started" ? "running" : "failed";
}

/**
 * The session at a glance, while no event is selected: who worked, what it cost, what they saw, what they called. It does
 * not change when events are read in.
 */
export const Overview = memo(function Overview({
  session_id,
  outline,
}: {
  readonly session_id: string;
  readonly outline: Outline | null;
}) {
  if (!outline)
    return (
      <aside className="overview" aria-label="Overview">
        <section className="panel skeleton" role="status" aria-label="Adding up the session">
          <i />
          <i />
          <i />
        </section>
      </aside>
    );
  const { snapshot, tool_calls, budget } = outline;
  const roles = Object.entries(snapshot.roles);
  const longest = Math.max(1, ...roles.map(([, role]) => role.duration_ms));
  return (
    <aside className="overview" aria-label="Overview">
      <section className="panel">
        <div className="title">
          <h2>Roles</h2>
          <span className="grow" />
          <span className="soft">what each asked of a model</span>
        </div>
        {roles.length === 0 ? (
          <p className="body soft">No model was asked.</p>
        ) : (
          <table className="table">
            <thead>
              <tr>
                <th>role</th>
                <th className="number">calls</th>
                <th className="number">tokens</th>
                <th className="number">cost</th>
                <th className="number">took</th>
              </tr>
            </thead>
            <tbody>
              {roles.map(([name, role]) => (
                <tr key={name}>
                  <td>{visible(name)}</td>
                  <td className="number">{count(role.calls)}</td>
                  <td className="number">{count(role.input + role.output)}</td>
                  <td className="number">{usd(role.usd)}</td>
                  <td className="number took">
                    <i style={{ width: `${(role.duration_ms / longest) * 100}%` }} />
                    {duration(role.duration_ms)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section className="panel">
        <div className="title">
          <h2>Budget</h2>
        </div>
        <div className="body">
          <BurnDown points={budget} />
        </div>
      </section>
      <section className="panel">
        <div className="title">
          <h2>Tools called</h2>
          <span className="grow" />
          {tool_calls > 0 && <span className="soft">{count(tool_calls)}</span>}
        </div>
        {tool_calls === 0 ? (
          <p className="body soft">None.</p>
        ) : (
          <ul className="calls">
            {snapshot.tools_invoked.map((call) => (
              <li key={call.call_id}>
                <State name={callState(call.status)} label={visible(call.name)} />
                <code className="soft clip">{visible(JSON.stringify(call.args).slice(0, 200))}</code>
              </li>
            ))}
            {tool_calls > snapshot.tools_invoked.length && (
              <li className="soft">
                and {count(tool_calls - snapshot.tools_invoked.length)} more: the view “tools” has them all
              </li>
            )}
          </ul>
        )}
      </section>
      <UnusedRights session_id={session_id} events={snapshot.event_count} />
    </aside>
  );
});
