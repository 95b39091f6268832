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

export const stateOfWork = (item: WorkItemV1): Shown => ofWork[item.status];
