import { useEffect, useState } from "react";
import { problemOf, send } from "../api/client.ts";
import { follow } from "../api/live.ts";
import type { PatchV1, RevisionV1, RunV1, WorkItemV1 } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Act } from "../ui/act.tsx";
import { Copy } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { Empty } from "../ui/notes.tsx";
import { count } from "../ui/numbers.ts";
import { ReadingPage } from "../ui/reading.tsx";
import { State } from "../ui/state.tsx";
import { useParam } from "../ui/use-param.ts";
import { visible } from "../ui/visible.ts";
import { DocumentView } from "./document-view.tsx";
import { stateOfRun } from "./states.ts";
import { WorkGraph } from "./work-graph.tsx";
import { WorkItemCard } from "./work-item-card.tsx";
import { WorkTable } from "./work-table.tsx";
import "./run.css";

interface RunDetail {
  readonly run: RunV1;
  readonly work_items: readonly WorkItemV1[];
  readonly patches: readonly PatchV1[];
  readonly revisions: readonly RevisionV1[];
}

/** Left who does what, right the document that grows from it. */
export function RunPage({ run_id }: { readonly run_id: string }) {
  const [seen, setSeen] = useState(0);
  const read = useGet<RunDetail>(`/runs/${run_id}#${seen}`);
  const active = read.answer.state === "there" && read.answer.value.run.status === "active";
  useEffect(() => {
    if (!active) return;
    return follow(`/runs/${run_id}/stream`, { onMessage: () => setSeen((before) => before + 1) });
  }, [run_id, active]);
  return (
    <ReadingPage what="the run" read={read}>
      {(detail) => <Detail {...detail} again={read.again} />}
    </ReadingPage>
  );
}

function Detail({ run, work_items, patches, revisions, again }: RunDetail & { readonly again: () => void }) {
  const { run_id } = run;
  const active = run.status === "active";
  const [chosen, choose] = useParam("work");
  const [failure, setFailure] = useState<string | null>(null);
  const item = work_items.find((one) => one.work_id === chosen);
  const act = async (what: "pause" | "continue" | "cancel") => {
    try {
      await send("POST", `/runs/${run_id}/${what}`, {});
      setFailure(null);
      again();
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <div className="run">
      <header className="head">
        <h1 className="clip">{visible(run.objective)}</h1>
        <State {...stateOfRun(run)} />
        <Copy value={run.run_id} shown={`…${run.run_id.slice(-6)}`} />
        <span className="soft clip">
          {work_items.filter((one) => one.status === "completed").length} of {work_items.length} done ·{" "}
          {count(revisions.length)} {revisions.length === 1 ? "revision" : "revisions"}
          {run.close_message && ` · ${visible(run.close_message)}`}
        </span>
        <span className="grow" />
        {active && (
          <>
            <Act
              right={run.paused ? "run.continue" : "run.pause"}
              onAct={() => void act(run.paused ? "continue" : "pause")}
            >
              {run.paused ? "Continue" : "Pause"}
            </Act>
            <Act right="run.cancel" tone="danger" onAct={() => void act("cancel")}>
              Cancel
            </Act>
          </>
        )}
      </header>
      <Failure message={failure} />
      <div className="run-split">
        <section className="panel run-work" aria-label="Work">
          {work_items.length > 0 ? (
            <>
              <WorkGraph run={run} items={work_items} selected={item?.work_id ?? null} onSelect={choose} />
              <WorkTable run={run} items={work_items} selected={item?.work_id ?? null} onSelect={choose} />
            </>
          ) : (
            <Empty title="No work requested yet">The app decides first; its work appears here.</Empty>
          )}
          {item && (
            <WorkItemCard
              item={item}
              patches={patches.filter((patch) => patch.source_work_id === item.work_id)}
              onClose={() => choose(null)}
            />
          )}
        </section>
        <section className="panel run-document" aria-label="Document">
          {revisions.length > 0 ? (
            <DocumentView run_id={run_id} revisions={revisions} />
          ) : (
            <Empty title="No revision yet">The document appears with the first revision.</Empty>
          )}
        </section>
      </div>
    </div>
  );
}
