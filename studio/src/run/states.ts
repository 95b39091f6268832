import type { RunV1, WorkItemV1 } from "../api/types.ts";
import type { StateName } from "../ui/state.tsx";

interface Shown {
  readonly name: StateName;
  readonly label: string;
}

export function stateOfRun(run: RunV1): Shown {
  if (run.status === "active")
    return run.paused ? { name: "waiting", label: "paused" } : { name: "running", label: "running" };
  const reason = run.close_reason ?? "completed";
  return {
    name: { completed: "done", blocked: "waiting", failed: "failed", canceled: "idle" }[reason] as StateName,
    label: reason,
  };
}

const ofWork: Readonly<Record<WorkItemV1["status"], Shown>> = {
  queued: { name: "idle", label: "queued" },
  leased: { name: "running", label: "at work" },
  completed: { name: "done", label: "done" },
  failed: { name: "failed", label: "failed" },
  blocked: { name: "waiting", label: "blocked" },
  canceled: { name: "idle", label: "canceled" },
};

/** Workers get the run's objective behind their own; on the run's page it stands above all of them already. */
export function ownObjective(item: WorkItemV1, run: RunV1): string {
  const tail = `: ${run.objective}`;
  return item.objective.endsWith(tail) ? item.objective.slice(0, -tail.length) : item.objective;
}

export const stateOfWork = (item: WorkItemV1): Shown => ofWork[item.status];

/** The same; for a queued item with unfinished dependencies, how many of them it waits for. */
export function stateAmong(items: readonly WorkItemV1[], item: WorkItemV1): Shown {
  if (item.status !== "queued" || item.depends_on.length === 0) return stateOfWork(item);
  const left = items.filter(({ work_id, status }) => status !== "completed" && item.depends_on.includes(work_id));
  return left.length === 0 ? stateOfWork(item) : { name: "idle", label: `waits for ${left.length}` };
}
