import { Link } from "wouter";
import { useGet } from "../api/use-get.ts";
import { Empty } from "../ui/notes.tsx";
import { ReadingPage } from "../ui/reading.tsx";
import { visible } from "../ui/visible.ts";
import type { ListedCycle, Problem } from "./cycle.ts";

interface Listed {
  readonly workflows: readonly ListedCycle[];
  readonly problems: readonly Problem[];
}

export function WorkflowsPage() {
  return (
    <ReadingPage what="cycles" read={useGet<Listed>("/workflows")}>
      {({ workflows, problems }) => (
        <div className="page">
          <header>
            <h1>Workflows</h1>
            <span className="soft">cycles of phases, each with its reviewers and its rules</span>
          </header>
          {problems.map(({ file, line, message, hint }) => (
            <div key={`${file} ${line} ${message}`} className="note bad" role="alert">
              <strong>
                {visible(file)}:{line}
              </strong>{" "}
              {visible(message)} <span className="soft">{visible(hint)}</span>
            </div>
          ))}
          {workflows.length === 0 ? (
            <Empty title="No cycle yet" command="workflows/cycles/code-review.md">
              A cycle is Markdown: phases, personas, policies. Write one:
            </Empty>
          ) : (
            <div className="panel">
              {workflows.map((cycle) => (
                <Link key={cycle.cycle_id} className="pick" href={`/workflows/${cycle.cycle_id}`}>
                  <span className="row">
                    <strong className="clip">{visible(cycle.title ?? cycle.cycle_id)}</strong>
                    <span className="grow" />
                    <span className="faint clip">{visible(cycle.file)}</span>
                  </span>
                  <span className="soft clip">{cycle.phases.map(visible).join(" → ")}</span>
                </Link>
              ))}
            </div>
          )}
        </div>
      )}
    </ReadingPage>
  );
}
