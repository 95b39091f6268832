import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { problemOf, send } from "../api/client.ts";
import type { SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { stateOfSession } from "../session/state-of-session.ts";
import { Graph } from "../ui/graph.tsx";
import { Json } from "../ui/json.tsx";
import { Loading, Trouble } from "../ui/notes.tsx";
import { State, type StateName } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { type Cycle, personasOf, waysOf } from "./cycle.ts";
import { Decisions } from "./decisions.tsx";
import { type Path, usePath } from "./use-path.ts";

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
        <span className="soft grow clip" title={description}>
          {description}
        </span>
        <button type="button" className="button primary" onClick={start}>
          Run
        </button>
      </header>
      {failure && (
        <div className="note bad" role="alert">
          {failure}
        </div>
      )}
      <div className="panel">
        <Graph
          label={`Phases of ${cycle.cycle_id}`}
          selected={chosen}
          onSelect={setChosen}
          nodes={cycle.phases.map((one) => ({
            id: one.id,
            marked: session_id ? path.visited.includes(one.id) : one.id === cycle.entry,
            content: (
              <>
                <strong className="clip">{visible(one.title ?? one.id)}</strong>
                <span className="row">
                  {session_id && <State {...stateOfPhase(one.id, path)} />}
                  <span className="soft clip" title={personasOf(one).join(", ")}>
                    {personasOf(one).join(", ") || "no persona"}
                  </span>
                </span>
              </>
            ),
          }))}
          edges={waysOf(cycle).map((way) => ({ ...way, marked: path.went(way.from, way.to) }))}
        />
      </div>
      {!session_id && <Recent cycle_id={cycle_id} />}
      {session_id && <Decisions session_id={session_id} path={path} cycle={cycle} />}
      {!phase && <p className="soft">Choose a phase in the graph to see its signal, its personas and its policies.</p>}
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

function stateOfPhase(phase: string, path: Path): { readonly name: StateName; readonly label: string } {
  if (!path.visited.includes(phase)) return { name: "idle", label: "not reached" };
  return path.visited.at(-1) === phase && !path.ended
    ? { name: "running", label: "here" }
    : { name: "done", label: "done" };
}

/** Sessions that went through the cycle: each leads to the same page with its way marked. */
function Recent({ cycle_id }: { readonly cycle_id: string }) {
  const { answer } = useGet<{ sessions: readonly SessionInfo[] }>(`/sessions?cycle=${cycle_id}&limit=10`);
  if (answer.state !== "there") return null;
  return (
    <section className="panel">
      <div className="title">
        <h2>Sessions of this cycle</h2>
      </div>
      {answer.value.sessions.length === 0 && (
        <p className="body soft">
          None yet. Run it above, or <code>writ workflow run {cycle_id}</code>
        </p>
      )}
      {answer.value.sessions.map((info) => (
        <Link key={info.session_id} className="pick" href={`/workflows/${cycle_id}?session=${info.session_id}`}>
          <span className="row">
            <State {...stateOfSession(info)} />
            <span className="clip grow">{visible(info.asked ?? info.session_id)}</span>
            <span className="soft">
              <Ago ts={info.started_at} />
            </span>
          </span>
        </Link>
      ))}
    </section>
  );
}
