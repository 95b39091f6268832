import { Link } from "wouter";
import { useGet } from "../api/use-get.ts";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import type { ListedCycle } from "./cycle.ts";

export function WorkflowsPage() {
  const { answer, again } = useGet<{ workflows: readonly ListedCycle[] }>("/workflows");
  if (answer.state === "loading")
    return (
      <div className="page">
        <Loading what="cycles" />
      </div>
    );
  if (answer.state === "failed")
    return (
      <div className="page">
        <Trouble problem={answer.problem} retry={again} />
      </div>
    );
  return (
    <div className="page">
      <header>
        <h1>Workflows</h1>
      </header>
      {answer.value.workflows.length === 0 ? (
        <Empty title="No cycle yet" command="workflows/cycles/code-review.md">
          A cycle is Markdown: phases, personas, policies. Write one:
        </Empty>
      ) : (
        <div className="panel">
          {answer.value.workflows.map((cycle) => (
            <Link key={cycle.cycle_id} className="pick" href={`/workflows/${cycle.cycle_id}`}>
              <strong>{cycle.title ?? cycle.cycle_id}</strong>
              <span className="soft">
                {cycle.phases.join(" → ")} · {cycle.file}
              </span>
            </Link>
          ))}
        </div>
      )}
    </div>
  );
}
