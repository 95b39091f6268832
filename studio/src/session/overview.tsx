import type { Event, EventPage, SessionSnapshotV1 } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { count, usd } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { duration } from "../ui/time.tsx";
import { BurnDown } from "./burn-down.tsx";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** The session at a glance, while no event is selected: who worked, what it cost, what they saw, what they called. */
export function Overview(props: {
  readonly snapshot: SessionSnapshotV1;
  readonly session_id: string;
  readonly total: number;
}) {
  const { snapshot } = props;
  const find = encodeURIComponent(`type in ["budget.updated", "attention.assembled"]`);
  const { answer } = useGet<EventPage>(`/sessions/${props.session_id}/events?limit=1000&find=${find}#${props.total}`);
  const events = answer.state === "there" ? answer.value.events : [];
  const contexts = events.filter((event): event is Of<"attention.assembled"> => event.type === "attention.assembled");
  const roles = Object.entries(snapshot.roles);
  return (
    <aside className="overview" aria-label="Overview">
      <section className="panel">
        <div className="title">
          <h2>Roles</h2>
        </div>
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
                <td>{name}</td>
                <td className="number">{role.calls}</td>
                <td className="number">{count(role.input + role.output)}</td>
                <td className="number">{usd(role.usd)}</td>
                <td className="number">{duration(role.duration_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {roles.length === 0 && <p className="body soft">No model was asked.</p>}
      </section>
      <section className="panel">
        <div className="title">
          <h2>Tools called</h2>
        </div>
        <div className="body stack">
          {snapshot.tools_invoked.length === 0 && <p className="soft">None.</p>}
          {snapshot.tools_invoked.slice(0, 50).map((call) => (
            <div key={call.call_id} className="row">
              <State name={call.status === "ok" ? "done" : "failed"} label={call.name} />
              <code className="soft clip">{JSON.stringify(call.args)}</code>
            </div>
          ))}
        </div>
      </section>
      <section className="panel">
        <div className="title">
          <h2>Context</h2>
        </div>
        <div className="body stack">
          {contexts
            .flatMap((context) => context.payload.fragments)
            .map((fragment) => (
              <div key={`${fragment.origin} ${fragment.hash}`} className="fragment">
                <strong className="clip">{fragment.origin}</strong>
                <span className="soft">
                  <State name={fragment.trust === "trusted" ? "done" : "doubt"} label={fragment.trust} /> ·{" "}
                  {count(fragment.tokens)} tokens · {fragment.stage}
                </span>
              </div>
            ))}
          {contexts.every((context) => context.payload.fragments.length === 0) && (
            <p className="soft">Nothing but the prompt itself: no template added fragments.</p>
          )}
        </div>
      </section>
      <section className="panel">
        <div className="title">
          <h2>Budget</h2>
        </div>
        <div className="body">
          <BurnDown events={events} />
        </div>
      </section>
    </aside>
  );
}
