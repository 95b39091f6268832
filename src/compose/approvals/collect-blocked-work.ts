import { ok, type Result, type RunId } from "#base";
import type { Inbox } from "#governance";
import type { Kernel } from "#kernel";

const runsAtOnce = 200;

/** Work that its worker could not do waits for a person to take note; what becomes of it, its app decides. */
export async function collectBlockedWork(kernel: Kernel, inbox: Inbox): Promise<Result<void>> {
  const runs = await kernel.read.runs({ status: "active", limit: runsAtOnce });
  if (!runs.ok) return runs;
  for (const { run_id, app_id } of runs.value) {
    const items = await kernel.read.workItems(run_id as RunId, { limit: 1000 });
    if (!items.ok) return items;
    for (const item of items.value.filter(({ status }) => status === "blocked")) {
      const { work_id, capability, objective } = item;
      const asked = await inbox.ask({
        kind: "blocked_work",
        occasion: work_id,
        title: `Work of ${app_id} is blocked`,
        reason: objective,
        author: app_id,
        run_id,
        subject: { work_id, run_id, capability, objective },
        choices: ["acknowledge"],
      });
      if (!asked.ok) return asked;
    }
  }
  return ok(undefined);
}
