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
    answer: input.done.report.output,
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
  return judge(context, {
    agent_id,
    author_id,
    reworkCount: 0,
    answer: output,
    handoff: { request: context.prompt, report },
  });
}

interface Judgement {
  readonly agent_id: string;
  readonly author_id: string;
  readonly reworkCount: number;
  readonly answer: string;
  readonly handoff: JsonValue;
}

/** A criterion that did not pass needs no judgement: the work has failed, and no model is asked about it. */
async function judge(context: AgentContext, judgement: Judgement): Promise<Result<ReviewResultV1>> {
  const { agent_id, handoff } = judgement;
  const evidence = await context.evidence?.(judgement.answer);
  if (evidence?.ok === false) return evidence;
  const red = evidence?.value.acceptance?.filter(({ passed }) => !passed) ?? [];
  if (red.length > 0) return record(context, judgement, { verdict: "fail", feedback: whatFailed(red) });
  const { router = context.router, independent = "context", tools: looking = [] } = context.reviewer ?? {};
  const tools = evidence ? looking : [];
  const answered = await callRole(
    { ...context, router, tools },
    {
      role: "reviewer",
      agent_id,
      ...(evidence ? { data: [evidenceBlock(evidence.value)] } : {}),
      usesTools: tools.length > 0,
      handoff,
    },
  );
  if (!answered.ok) return answered;
  return record(context, judgement, { ...answered.value.output, ...(evidence ? { independent } : {}) });
}

async function record(
  context: AgentContext,
  { agent_id, author_id, reworkCount }: Judgement,
  result: Pick<ReviewResultV1, "verdict" | "feedback"> & { readonly independent?: "model" | "context" },
): Promise<Result<ReviewResultV1>> {
  const { verdict, feedback, independent } = result;
  const recorded = await context.recorder.append({
    type: "review.result",
    actor: "reviewer",
    payload: {
      agent_id,
      author_id,
      verdict,
      feedback,
      rework_count: reworkCount,
      ...(independent ? { independent } : {}),
      schema_version: "v1",
    },
  });
  return recorded.ok ? ok({ verdict, feedback, schema_version: "v1" }) : recorded;
}

/** In words that the next round of work can act on. */
function whatFailed(red: NonNullable<SchemaTypes["evidence_v1"]["acceptance"]>): string {
  const each = red.map(({ gate, message = "did not pass", tail }) => `${gate}: ${message}${tail ? `\n${tail}` : ""}`);
  return `not accepted, before any review: ${each.join("\n")}`;
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
