import type { LeadDirectiveV1, PlanV1, ReviewResultV1, SchemaTypes } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, type JsonValue, ok, type Result } from "#core/values";
import type { AgentContext } from "./agent-context.ts";
import { callRole } from "./call-role.ts";
import { dataBlock } from "./data-block.ts";
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
  return judge(context, {
    agent_id,
    author_id: input.done.agent_id,
    reworkCount: input.reworkCount,
    handoff: {
      intent: input.directive.intent,
      constraints: input.directive.constraints,
      plan: input.plan as never,
      report: input.done.report as never,
    },
  });
}

/** Asks another agent about the answer of one that worked alone. There is no plan: it judges the evidence against the request. */
export function reviewAnswer(
  context: AgentContext,
  author_id: string,
  output: string,
): Promise<Result<ReviewResultV1>> {
  const agent_id = context.ids.agentId(context.author.framework_id, context.author.work_order_id);
  const report = { output, steps_completed: [], schema_version: "v1" };
  return judge(context, { agent_id, author_id, reworkCount: 0, handoff: { request: context.prompt, report } });
}

async function judge(
  context: AgentContext,
  {
    agent_id,
    author_id,
    reworkCount,
    handoff,
  }: {
    readonly agent_id: string;
    readonly author_id: string;
    readonly reworkCount: number;
    readonly handoff: JsonValue;
  },
): Promise<Result<ReviewResultV1>> {
  const evidence = await context.evidence?.();
  if (evidence?.ok === false) return evidence;
  const answered = await callRole(context, {
    role: "reviewer",
    agent_id,
    ...(evidence ? { data: [evidenceBlock(evidence.value)] } : {}),
    handoff,
  });
  if (!answered.ok) return answered;
  const { verdict, feedback } = answered.value.output;
  const recorded = await context.recorder.append({
    type: "review.result",
    actor: "reviewer",
    payload: {
      agent_id,
      author_id,
      verdict,
      feedback,
      rework_count: reworkCount,
      ...(evidence ? { independent: "context" as const } : {}),
      schema_version: "v1",
    },
  });
  return recorded.ok ? ok(answered.value.output) : recorded;
}

/** What the reviewer judges: not the author's words about the work, but what the runtime saw of it. */
export function evidenceBlock(evidence: SchemaTypes["evidence_v1"]): string {
  return dataBlock("evidence_v1", canonicalJson(evidence));
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
