import type { AppTurnInputV1, ChangePlanV1, WorkItemV1 } from "#core/contracts";
import { isJsonObject } from "#core/values";
import { readResults } from "../read-results.ts";
import type { ThinkingContext } from "../thinking-app.ts";
import { unwrap } from "../unwrap.ts";

/** The files that the change touches. The model is called once per run, however often turns repeat: the key is the same. */
export async function planChange(
  input: AppTurnInputV1,
  context: ThinkingContext,
  survey: WorkItemV1,
): Promise<ChangePlanV1> {
  const { completed } = await readResults(context);
  const found = completed.get(survey.work_id);
  const note = found?.["note"];
  const thought = unwrap(
    await context.think({
      key: "plan",
      contract: "PRC-CHANGE-PLAN-001",
      input: {
        objective: input.objective,
        note: isJsonObject(note) ? { ...note, citations: found?.["citations"] ?? [] } : {},
      },
      output_schema: "change_plan_v1",
    }),
  );
  return thought.answer as unknown as ChangePlanV1; // think() has checked it against its contract
}
