import type { PlanV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";

export type PlanStep = PlanV1["steps"][number];

/** The steps in dependency order: each wave depends only on earlier ones, so its steps may run at once. */
export function planWaves(plan: PlanV1, maxSteps: number): Result<readonly (readonly PlanStep[])[]> {
  const { steps } = plan;
  if (steps.length > maxSteps)
    return err(malformed(`the plan has ${steps.length} steps, at most ${maxSteps} are allowed (limits.max_steps)`));
  const ids = new Set(steps.map((step) => step.id));
  if (ids.size < steps.length) return err(malformed("two steps of the plan have the same id"));
  for (const step of steps)
    for (const needed of step.depends_on ?? [])
      if (!ids.has(needed)) return err(malformed(`step ${step.id} depends on ${needed}, which is not in the plan`));

  const waves: PlanStep[][] = [];
  const done = new Set<string>();
  let waiting = [...steps];
  while (waiting.length > 0) {
    const ready = waiting.filter((step) => (step.depends_on ?? []).every((needed) => done.has(needed)));
    if (ready.length === 0)
      return err(malformed(`the steps ${waiting.map((step) => step.id).join(", ")} wait for each other`));
    waves.push(ready);
    for (const step of ready) done.add(step.id);
    waiting = waiting.filter((step) => !done.has(step.id));
  }
  return ok(waves);
}

function malformed(message: string) {
  return domainError("MALFORMED_AGENT_MESSAGE", message, { details: { role: "planner", schema_id: "plan_v1" } });
}
