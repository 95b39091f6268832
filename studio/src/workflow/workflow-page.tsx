import { useState } from "react";
import { useLocation } from "wouter";
import { problemOf, send } from "../api/client.ts";
import { useGet } from "../api/use-get.ts";
import { Graph } from "../ui/graph.tsx";
import { Json } from "../ui/json.tsx";
import { Loading, Trouble } from "../ui/notes.tsx";
import type { Cycle } from "./cycle.ts";

export function WorkflowPage({ cycle_id }: { readonly cycle_id: string }) {
  const { answer, again } = useGet<Cycle>(`/workflows/${cycle_id}`);
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
  const phases = cycle.phases ?? [];
  const start = async () => {
    try {
      const { session_id } = await send<{ session_id: string }>("POST", `/workflows/${cycle_id}/runs`, { input: {} });
      go(`/sessions/${session_id}`);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <div className="page">
      <header>
        <h1>{cycle.id}</h1>
        <span className="soft grow">{cycle.description}</span>
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
          label={`Phases of ${cycle.id}`}
          selected={chosen}
          onSelect={setChosen}
          nodes={phases.map((phase) => ({
            id: phase.id,
            marked: phase.id === cycle.entry_phase,
            content: (
              <>
                <strong className="clip">{phase.id}</strong>
                <span className="soft clip">{phase.personas?.join(", ") || phase.description}</span>
              </>
            ),
          }))}
          edges={phases.flatMap((phase) =>
            (phase.transitions ?? []).map((transition) => ({
              from: phase.id,
              to: transition.to,
              ...(transition.when ? { label: transition.when } : {}),
            })),
          )}
        />
      </div>
      {chosen && (
        <section className="panel">
          <div className="title">
            <h2>{chosen}</h2>
          </div>
          <div className="body">
            <Json value={phases.find((phase) => phase.id === chosen)} />
          </div>
        </section>
      )}
    </div>
  );
}
