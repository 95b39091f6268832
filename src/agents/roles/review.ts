import type { LeadDirectiveV1, PlanV1, ReviewResultV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { AgentContext } from "./agent-context.ts";
import { callRole } from "./call-role.ts";
import type { WorkDone } from "./work.ts";

/** Asks a reviewer that is not the author. Separation of duties is kept here, not asked of the prompt. */
export async function review(
  context: AgentContext,
  input: {
    readonly directive: LeadDirectiveV1;
    readonly plan: PlanV1;
    readonly done: WorkDone;
    readonly reworkCount: number;
  },
): Promise<Result<ReviewResultV1>> {
  const agent_id = context.ids.agentId(context.author.framework_id, context.author.work_order_id);
  const separate = separateReviewer(agent_id, input.done.agent_id);
  if (!separate.ok) return separate;
  const answered = await callRole(context, {
    role: "reviewer",
    agent_id,
    handoff: {
      intent: input.directive.intent,
      constraints: input.directive.constraints,
      plan: input.plan as never,
      report: input.done.report as never,
    },
  });
  if (!answered.ok) return answered;
  const { verdict, feedback } = answered.value.output;
  const recorded = await context.recorder.append({
    type: "review.result",
    actor: "reviewer",
    payload: {
      agent_id,
      author_id: input.done.agent_id,
      verdict,
      feedback,
      rework_count: input.reworkCount,
      schema_version: "v1",
    },
  });
  return recorded.ok ? ok(answered.value.output) : recorded;
}

/** The author neither reviews nor approves. */
export function separateReviewer(reviewer: string, author: string): Result<void> {
  if (reviewer !== author) return ok(undefined);
  return err(
    domainError("NOT_AUTHORIZED", `${author} wrote this and cannot review it: separation of duties`, {
      details: { author, reviewer },
    }),
  );
}
