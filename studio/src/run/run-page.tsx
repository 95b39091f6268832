import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { problemOf, send } from "../api/client.ts";
import { follow } from "../api/live.ts";
import type { PatchV1, RevisionV1, RunV1, WorkItemV1 } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Copy } from "../ui/copy.tsx";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { State } from "../ui/state.tsx";
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
  const { answer, again } = useGet<RunDetail>(`/runs/${run_id}#${seen}`);
  const [search, setSearch] = useSearchParams();
  const [failure, setFailure] = useState<string | null>(null);
  const active = answer.state === "there" && answer.value.run.status === "active";
  useEffect(() => {
    if (!active) return;
    return follow(`/runs/${run_id}/stream`, { onMessage: () => setSeen((before) => before + 1) });
  }, [run_id, active]);
  if (answer.state === "loading")
    return (
      <div className="page">
        <Loading what="the run" />
      </div>
    );
  if (answer.state === "failed")
    return (
      <div className="page">
        <Trouble problem={answer.problem} retry={again} />
      </div>
    );
  const { run, work_items, patches, revisions } = answer.value;
  const item = work_items.find((one) => one.work_id === search.get("work"));
  const act = async (what: "pause" | "continue" | "cancel") => {
    try {
      await send("POST", `/runs/${run_id}/${what}`, {});
      setFailure(null);
      again();
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  const select = (work_id: string | null) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (work_id) next.set("work", work_id);
      else next.delete("work");
      return next;
    });
  return (
    <div className="run">
      <header className="head">
        <h1 className="clip">{visible(run.objective)}</h1>
        <State {...stateOfRun(run)} />
        <Copy value={run.run_id} shown={`…${run.run_id.slice(-6)}`} />
        <span className="soft clip">
          {work_items.filter((one) => one.status === "completed").length} of {work_items.length} done ·{" "}
          {revisions.length} revisions
          {run.close_message && ` · ${visible(run.close_message)}`}
        </span>
        <span className="grow" />
        {active && (
          <>
            <button type="button" className="button" onClick={() => act(run.paused ? "continue" : "pause")}>
              {run.paused ? "Continue" : "Pause"}
            </button>
            <button type="button" className="button danger" onClick={() => act("cancel")}>
              Cancel
            </button>
          </>
        )}
      </header>
      {failure && (
        <div className="note bad" role="alert">
          {failure}
        </div>
      )}
      <div className="run-split">
        <section className="panel run-work" aria-label="Work">
          {work_items.length > 0 ? (
            <>
              <WorkGraph items={work_items} selected={item?.work_id ?? null} onSelect={select} />
              <WorkTable items={work_items} selected={item?.work_id ?? null} onSelect={select} />
            </>
          ) : (
            <Empty title="No work requested yet">The app decides first; its work appears here.</Empty>
          )}
          {item && (
            <WorkItemCard
              item={item}
              patches={patches.filter((patch) => patch.source_work_id === item.work_id)}
              onClose={() => select(null)}
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
