import { Link, useLocation } from "wouter";
import { send } from "../api/client.ts";
import type { RunV1 } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { stateOfRun } from "../run/states.ts";
import { Columns } from "../ui/columns.tsx";
import { Copy, shortId } from "../ui/copy.tsx";
import { Empty } from "../ui/notes.tsx";
import { Reading } from "../ui/reading.tsx";
import { StartForm } from "../ui/start-form.tsx";
import { State } from "../ui/state.tsx";
import { Ago, duration } from "../ui/time.tsx";
import { useRowKeys } from "../ui/use-row-keys.ts";
import { visible } from "../ui/visible.ts";

export function RunsPage({ live }: { readonly live: number }) {
  const read = useGet<{ runs: readonly RunV1[] }>(`/runs?limit=200#${live}`);
  const [, go] = useLocation();
  return (
    <div className="page">
      <header>
        <h1>Runs</h1>
        <span className="grow" />
        <StartForm
          right="run.start"
          label="Objective of a new run"
          placeholder="what the document should be about"
          button="Start"
          onStart={async (objective) => {
            const { run } = await send<{ run: RunV1 }>("POST", "/runs", { app_id: "writer", objective });
            go(`/runs/${run.run_id}`);
          }}
        />
      </header>
      <Reading what="runs" read={read}>
        {({ runs }) => (runs.length === 0 ? <NoRun /> : <RunTable runs={runs} />)}
      </Reading>
    </div>
  );
}

function NoRun() {
  return (
    <Empty title="No run yet" command={'writ runs start --app writer --objective "Explain this project" --wait'}>
      A run grows a document from an objective, by many hands. Start one above, or in a terminal:
    </Empty>
  );
}

function RunTable({ runs }: { readonly runs: readonly RunV1[] }) {
  const [, go] = useLocation();
  const { at, body } = useRowKeys(runs.length, (index) => go(`/runs/${runs[index]?.run_id}`));
  return (
    <div className="panel">
      <table className="table listed">
        <Columns names={["state", "objective", "app", "run", "#took", "#began"]} />
        <tbody ref={body}>
          {runs.map((run, index) => (
            <tr key={run.run_id} data-selected={index === at}>
              <td>
                <State {...stateOfRun(run)} />
              </td>
              <td className="asked">
                <Link className="clip" href={`/runs/${run.run_id}`}>
                  {visible(run.objective)}
                </Link>
                {run.close_message && <span className="soft clip second">{visible(run.close_message)}</span>}
              </td>
              <td className="soft">{run.app_id}</td>
              <td>
                <Copy value={run.run_id} shown={shortId(run.run_id)} />
              </td>
              <td className="number">
                {run.status === "active" ? "" : duration(Date.parse(run.updated_at) - Date.parse(run.created_at))}
              </td>
              <td className="number soft">
                <Ago ts={run.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
