import type { LeadDirectiveV1, PlanV1, ScaffoldReportV1, WorkerReportV1 } from "#core/contracts";
import { ok, type Result, sha256 } from "#core/values";
import type { AgentContext } from "./agent-context.ts";
import { callRole } from "./call-role.ts";

import { type PlanStep, planWaves } from "./plan-waves.ts";
import type { Said } from "./speaker.ts";

export interface WorkOrderOfSteps {
  readonly directive: LeadDirectiveV1;
  readonly plan: PlanV1;
  /** Why the reviewer sent the work back, if it did. */
  readonly feedback: string | null;
}

/** What the worker did. `failure` names the first step that could not be done; what was done before it is in the report. */
export interface WorkDone {
  readonly agent_id: string;
  readonly report: WorkerReportV1;
  readonly failure: { readonly step_id: string; readonly code: string; readonly message: string } | undefined;
}

/** Carries out a plan: waves in order, the steps of a wave at once; a failed step stops what comes after it. */
export async function work(context: AgentContext, order: WorkOrderOfSteps): Promise<Result<WorkDone>> {
  const waves = planWaves(order.plan, context.limits.max_steps);
  if (!waves.ok) return waves;
  const agent_id = context.ids.agentId(context.author.framework_id, context.author.work_order_id);
  const outputs = new Map<string, string>();
  const reads = new Map<string, Said["reads"]>();
  const toolCalls: string[] = [];
  let failure: WorkDone["failure"];
  for (const wave of waves.value) {
    const ended = await Promise.all(wave.map((step) => workStep(context, { order, agent_id, outputs, reads }, step)));
    for (const [index, step] of wave.entries()) {
      const result = ended[index];
      if (!result) continue;
      if (!result.ok) return result;
      toolCalls.push(...result.value.toolCallsMade);
      const problem = shortfall(step, result.value, context.evidence !== undefined);
      const recorded = context.recorder.stage({
        type: "worker.step",
        actor: "worker",
        payload: {
          agent_id,
          step_id: step.id,
          status: problem ? "failed" : "completed",
          tool_calls_made: [...result.value.toolCallsMade],
          ...(problem ? { error: { code: problem.code, message: problem.message } } : {}),
        },
      });
      if (!recorded.ok) return recorded;
      if (problem) failure ??= problem;
      else outputs.set(step.id, result.value.output);
      // A session that began before reads were handed on goes on without them: its prompts are recorded.
      if (context.brief !== undefined) reads.set(step.id, result.value.reads);
    }
    if (failure) break;
  }
  const report: WorkerReportV1 = {
    output: failure ? partialOutput(order.plan, outputs, failure.message) : finalOutput(order.plan, outputs),
    steps_completed: [...outputs.keys()],
    tool_calls_made: toolCalls, // what ran, not what the worker says it ran
    schema_version: "v1",
  };
  const recorded = await context.recorder.append({
    type: "worker.report",
    actor: "worker",
    payload: {
      agent_id,
      output: report.output,
      steps_completed: report.steps_completed,
      tool_calls_made: toolCalls,
      schema_version: "v1",
      output_hash: sha256(report.output),
      ...(failure ? { partial: true } : {}),
    },
  });
  if (!recorded.ok) return recorded;
  return ok({ agent_id, report: { ...report, output: recorded.value.payload.output }, failure });
}

interface StepEnd {
  readonly output: string;
  readonly completed: boolean;
  readonly toolCallsMade: readonly string[];
  readonly toolFailure: Said["toolFailure"];
  readonly undone: Said["undone"];
  readonly reads: Said["reads"];
}

/** The worker on its order, with what the steps before have put out. */
interface WorkInProgress {
  readonly order: WorkOrderOfSteps;
  readonly agent_id: string;
  readonly outputs: ReadonlyMap<string, string>;
  readonly reads: ReadonlyMap<string, Said["reads"]>;
}

/** References of what the steps before have read: the same lines can be read again. */
function readBefore(
  needed: readonly string[],
  reads: ReadonlyMap<string, Said["reads"]>,
): { readonly reads?: { path: string; sha256: string; lines: string }[] } {
  const found = needed.flatMap((id) => reads.get(id) ?? []);
  return found.length === 0 ? {} : { reads: found.map((read) => ({ ...read })) };
}

/** A step that only prepares goes to the scaffolder, any other to the worker. */
async function workStep(
  context: AgentContext,
  { order, agent_id, outputs, reads }: WorkInProgress,
  step: PlanStep,
): Promise<Result<StepEnd>> {
  const needed = step.depends_on ?? [];
  const call = {
    agent_id,
    usesTools: true,
    stepId: step.id,
    handoff: {
      intent: order.directive.intent,
      constraints: order.directive.constraints,
      step: { id: step.id, description: step.description },
      results: Object.fromEntries(needed.map((id) => [id, outputs.get(id) ?? ""])),
      ...readBefore(needed, reads),
      ...(order.feedback === null ? {} : { feedback: order.feedback }),
    },
  };
  if (step["role"] === "scaffolder") {
    const answered = await callRole(context, { ...call, role: "scaffolder" });
    if (!answered.ok) return answered;
    const { output } = answered.value;
    const staged = context.recorder.stage({
      type: "scaffold.report",
      actor: "scaffolder",
      payload: { agent_id, report: output },
    });
    if (!staged.ok) return staged;
    return ok({ ...answered.value, output: describeScaffold(output), completed: true });
  }
  const answered = await callRole(context, { ...call, role: "worker" });
  if (!answered.ok) return answered;
  const { output, steps_completed } = answered.value.output;
  return ok({ ...answered.value, output, completed: steps_completed.includes(step.id) });
}

function describeScaffold(report: ScaffoldReportV1): string {
  const created = report.created.map(({ path, kind, purpose }) => `- ${path} (${kind}): ${purpose}`);
  return [...created, ...(report.notes === undefined ? [] : [report.notes])].join("\n");
}

/** A step counts as done when its own report says so, and nothing that it asked for was left refused or failed. */
function shortfall(step: PlanStep, answer: StepEnd, hasEvidence: boolean): WorkDone["failure"] {
  const [left] = hasEvidence ? answer.undone : [];
  if (answer.completed && left) {
    const what = left.target === undefined ? left.tool : `${left.tool} ${left.target}`;
    const message = `step ${step.id} is reported as done, and ${what} was ${left.state}: ${left.reason}`;
    return { step_id: step.id, code: left.code, message };
  }
  if (answer.completed) return undefined;
  const cause = answer.toolFailure;
  return {
    step_id: step.id,
    code: cause?.code ?? "TOOL_ERROR",
    message: cause
      ? `step ${step.id} was not done: ${cause.message}`
      : `step ${step.id} was not done: ${answer.output.slice(0, 400)}`,
  };
}

/** The outputs of the steps that no other step builds on, in the order of the plan. */
function finalOutput(plan: PlanV1, outputs: ReadonlyMap<string, string>): string {
  const used = new Set(plan.steps.flatMap((step) => step.depends_on ?? []));
  const last = plan.steps.filter((step) => !used.has(step.id)).map((step) => outputs.get(step.id) ?? "");
  return last.filter((text) => text !== "").join("\n\n");
}

function partialOutput(plan: PlanV1, outputs: ReadonlyMap<string, string>, problem: string): string {
  const lines = plan.steps.map((step) => `- ${step.id}: ${outputs.has(step.id) ? "done" : "not done"}`);
  return `Stopped: ${problem}\n${lines.join("\n")}`;
}
