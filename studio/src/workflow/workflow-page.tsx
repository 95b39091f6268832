import { useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { problemOf, send } from "../api/client.ts";
import { useGet } from "../api/use-get.ts";
import { Graph } from "../ui/graph.tsx";
import { Json } from "../ui/json.tsx";
import { Loading, Trouble } from "../ui/notes.tsx";
import { type Cycle, personasOf, waysOf } from "./cycle.ts";
import { Decisions } from "./decisions.tsx";
import { usePath } from "./use-path.ts";

/** The cycle as a graph; with a session, where it went, which rule decided, and why. */
export function WorkflowPage({ cycle_id }: { readonly cycle_id: string }) {
  const { answer, again } = useGet<Cycle>(`/workflows/${cycle_id}`);
  const [search] = useSearchParams();
  const session_id = search.get("session");
  const path = usePath(session_id);
  const [, go] = useLocation();
  const [chosen, setChosen] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  if (answer.state === "loading")
    return (
      <div className="page">
        <Loading what="the cycle" />
      </div>
    );
  if (answer.state === "failed")
    return (
      <div className="page">
        <Trouble problem={answer.problem} retry={again} />
      </div>
    );
  const cycle = answer.value;
  const { title, description } = cycle.definition;
  const phase = cycle.phases.find((one) => one.id === chosen);
  const start = async () => {
    try {
      const started = await send<{ session_id: string }>("POST", `/workflows/${cycle_id}/runs`, {});
      go(`/sessions/${started.session_id}`);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <div className="page">
      <header>
        <h1>{title ?? cycle.cycle_id}</h1>
        <span className="soft grow">{description}</span>
        <button type="button" className="button primary" onClick={start}>
          Run
        </button>
      </header>
      {failure && (
        <div className="note bad" role="alert">
          {failure}
        </div>
      )}
      <div className="panel cycle-graph">
        <Graph
          label={`Phases of ${cycle.cycle_id}`}
          selected={chosen}
          onSelect={setChosen}
          nodes={cycle.phases.map((one) => ({
            id: one.id,
            marked: session_id ? path.visited.includes(one.id) : one.id === cycle.entry,
            content: (
              <>
                <strong className="clip">{one.title ?? one.id}</strong>
                <span className="soft clip">{personasOf(one).join(", ") || "no persona"}</span>
              </>
            ),
          }))}
          edges={waysOf(cycle).map((way) => ({ ...way, marked: path.went(way.from, way.to) }))}
        />
      </div>
      {session_id && <Decisions session_id={session_id} path={path} />}
      {phase && (
        <section className="panel">
          <div className="title">
            <h2>{phase.title ?? phase.id}</h2>
          </div>
          <div className="body stack">
            <dl className="facts">
              <dt>goes on when</dt>
              <dd className="mono">{phase.advance_signal}</dd>
              <dt>asks</dt>
              <dd>{personasOf(phase).join(", ") || "nobody"}</dd>
              <dt>policies</dt>
              <dd>{(phase.policies ?? cycle.definition.policies ?? []).join(", ") || "none"}</dd>
            </dl>
            <details>
              <summary>the whole definition</summary>
              <Json value={phase} />
            </details>
          </div>
        </section>
      )}
      {cycle.policies.map((policy) => (
        <section key={policy.id} className="panel">
          <div className="title">
            <h2>{policy.title ?? policy.id}</h2>
            <span className="soft">{policy.kind}</span>
          </div>
          <table className="table">
            <tbody>
              {policy.rules.map((rule) => (
                <tr key={`${rule.when} ${rule.then}`}>
                  <td className="mono">{rule.when}</td>
                  <td>{rule.then}</td>
                  <td className="soft">{rule.reason}</td>
                </tr>
              ))}
              <tr>
                <td className="soft">otherwise</td>
                <td>{policy.default ?? "deny"}</td>
                <td />
              </tr>
            </tbody>
          </table>
        </section>
      ))}
    </div>
  );
}
