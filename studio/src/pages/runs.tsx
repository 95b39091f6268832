import { useState } from "react";
import { Link, useLocation } from "wouter";
import { problemOf, send } from "../api/client.ts";
import type { RunV1 } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { stateOfRun } from "../run/states.ts";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

export function RunsPage({ live }: { readonly live: number }) {
  const { answer, again } = useGet<{ runs: readonly RunV1[] }>(`/runs?limit=200#${live}`);
  return (
    <div className="page">
      <header>
        <h1>Runs</h1>
        <span className="grow" />
        <Start />
      </header>
      {answer.state === "loading" && <Loading what="runs" />}
      {answer.state === "failed" && <Trouble problem={answer.problem} retry={again} />}
      {answer.state === "there" && answer.value.runs.length === 0 && (
        <Empty title="No run yet" command={'writ runs start --app writer --objective "Explain this project" --wait'}>
          A run grows a document from an objective, by many hands. Start one above, or in a terminal:
        </Empty>
      )}
      {answer.state === "there" && answer.value.runs.length > 0 && (
        <div className="panel">
          <table className="table">
            <thead>
              <tr>
                <th>state</th>
                <th>objective</th>
                <th>app</th>
                <th className="number">began</th>
              </tr>
            </thead>
            <tbody>
              {answer.value.runs.map((run) => (
                <tr key={run.run_id}>
                  <td>
                    <State {...stateOfRun(run)} />
                  </td>
                  <td>
                    <Link href={`/runs/${run.run_id}`}>{run.objective}</Link>
                  </td>
                  <td className="soft">{run.app_id}</td>
                  <td className="number soft">
                    <Ago ts={run.created_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Start() {
  const [, go] = useLocation();
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const start = async () => {
    try {
      const { run } = await send<{ run: RunV1 }>("POST", "/runs", { app_id: "writer", objective: text });
      go(`/runs/${run.run_id}`);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void start();
      }}
    >
      {failure && (
        <span role="alert" className="state failed">
          {failure}
        </span>
      )}
      <input
        className="field"
        size={40}
        placeholder="what the document should be about"
        aria-label="Objective of a new run"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button primary">
        Start
      </button>
    </form>
  );
}
