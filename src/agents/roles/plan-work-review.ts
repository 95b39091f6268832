import type { EventPayloads, LeadDirectiveV1, PlanV1 } from "#core/contracts";
import { domainError, type ErrorCode } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { pendingError } from "#people";
import { type EscalatedReview, escalatedReview } from "../approval-kinds/escalated-review.ts";
import { skillCatalogue } from "../skills/catalogue.ts";
import type { AgentContext, FollowedCycle } from "./agent-context.ts";
import { callRole } from "./call-role.ts";
import { dataBlock } from "./data-block.ts";
import { hasStopHooks } from "./may-end.ts";
import { review } from "./review.ts";
import { type WorkDone, work } from "./work.ts";

/**
 *   INTAKE ─► LEAD ─► PLAN ─► WORK ─► REVIEW ─► DONE
 *              │        ▲       ▲        │ fail, Stop allows, bounds allow
 *              └ ADVISE ┘       └ REWORK ┘
 *                                        │ otherwise a person decides, where one can be asked
 *                                        ├─ accepts ─► DONE
 *                                        ▼
 *                                       FAIL
 */
type State = "INTAKE" | "LEAD" | "ADVISE" | "PLAN" | "WORK" | "REVIEW" | "REWORK" | "DONE" | "FAIL";

const actors: Record<State, string> = {
  INTAKE: "user",
  LEAD: "lead",
  ADVISE: "advisor",
  PLAN: "planner",
  WORK: "worker",
  REVIEW: "reviewer",
  REWORK: "worker",
  DONE: "system",
  FAIL: "system",
};

export interface ReviewedWork {
  readonly output: string;
  readonly verdict: "pass" | "fail";
  readonly feedback: string;
  readonly reworkCount: number;
  /** Set when the lead's directive named a cycle: then that was the work. */
  readonly followed?: FollowedCycle;
}

/** L3. One request through lead, planner, worker and reviewer; every transition is an event. */
export async function planWorkReview(context: AgentContext): Promise<Result<ReviewedWork>> {
  const path = new Path(context);
  const directive = await lead(context, path);
  if (!directive.ok) return directive;
  const { cycle } = directive.value;
  if (typeof cycle === "string" && cycle !== "") return followCycle(context, path, cycle, directive.value);
  const planned = await makePlan(context, path, directive.value);
  if (!planned.ok) return planned;
  const { plan } = planned.value;
  const advised = withConstraints(directive.value, planned.value.advice);

  let feedback: string | null = null;
  for (let reworkCount = 0; ; reworkCount++) {
    const begun = path.go(reworkCount === 0 ? "WORK" : "REWORK");
    if (!begun.ok) return begun;
    const done = await work(context, { directive: advised, plan, feedback });
    if (!done.ok) return done;
    if (done.value.failure) return stepFailed(path, done.value.failure);
    const handed = path.go("REVIEW");
    if (!handed.ok) return handed;
    const reviewed = await review(context, {
      directive: advised,
      plan,
      done: done.value,
      reworkCount,
    });
    if (!reviewed.ok) return reviewed;
    const { verdict } = reviewed.value;
    feedback = reviewed.value.feedback;

    const { output } = done.value.report;
    const goesOn = await mayGoOn(context, { verdict, reworkCount, answer: output });
    if (!goesOn.ok) return goesOn;
    // What a hook still wants done is reworked like what a reviewer wants.
    if (verdict === "pass" && goesOn.value.allowed && reworkCount < context.limits.max_reworks) {
      feedback = goesOn.value.reason;
      continue;
    }
    if (verdict === "pass") {
      const ended = path.go("DONE");
      return ended.ok ? ok({ output, verdict, feedback, reworkCount }) : ended;
    }
    if (goesOn.value.allowed && reworkCount < context.limits.max_reworks) continue;
    const reason = goesOn.value.allowed
      ? `${reworkCount} reworks are spent (limits.rework_rounds)`
      : goesOn.value.reason;
    return escalate(context, path, { output, feedback, rework_count: reworkCount, reason });
  }
}

/** What no review passed counts only if a person takes it as it is. */
async function escalate(context: AgentContext, path: Path, escalated: EscalatedReview): Promise<Result<ReviewedWork>> {
  const { output, feedback, rework_count, reason } = escalated;
  const recorded = await context.recorder.append({
    type: "review.escalated",
    actor: "system",
    payload: { feedback, rework_count, reason },
  });
  if (!recorded.ok) return recorded;
  const asked = await context.ask?.(escalatedReview, escalated);
  if (asked?.ok === false) return asked;
  if (asked?.value.state === "waiting")
    return err(pendingError(asked.value, "does the work count although its reviewer refused it"));
  const isAccepted = asked?.value.state === "approved";
  const moved = path.go(isAccepted ? "DONE" : "FAIL");
  if (!moved.ok) return moved;
  return ok({ output, verdict: isAccepted ? "pass" : "fail", feedback, reworkCount: rework_count });
}

async function lead(context: AgentContext, path: Path): Promise<Result<LeadDirectiveV1>> {
  const moved = path.go("LEAD");
  if (!moved.ok) return moved;
  const answered = await callRole(context, {
    role: "lead",
    agent_id: newAgent(context),
    handoff: { request: context.prompt },
    ...skillsFor(context),
  });
  if (!answered.ok) return answered;
  const { agent_id, output } = answered.value;
  const staged = context.recorder.stage({
    type: "lead.directive",
    actor: "lead",
    payload: { agent_id, directive: output },
  });
  return staged.ok ? ok(output) : staged;
}

/** A directive may name a cycle instead of being planned: an unknown one is refused, and so is one within another. */
async function followCycle(
  context: AgentContext,
  path: Path,
  cycle_id: string,
  directive: LeadDirectiveV1,
): Promise<Result<ReviewedWork>> {
  if (!context.followCycle)
    return err(
      domainError("GATE_DENIED", `the lead's directive names the cycle ${cycle_id}, and a cycle cannot be named here`),
    );
  const followed = await context.followCycle(cycle_id, directive);
  if (!followed.ok) return followed;
  const { output, error } = followed.value;
  path.beginAgain(); // its personas have spoken since
  const moved = path.go(error ? "FAIL" : "DONE");
  if (!moved.ok) return moved;
  return ok({
    output,
    verdict: error ? "fail" : "pass",
    feedback: error?.message ?? "",
    reworkCount: 0,
    followed: followed.value,
  });
}

type AdvisorNote = EventPayloads["advisor.note"]["note"];

interface Planned {
  readonly plan: PlanV1;
  readonly advice: AdvisorNote | undefined;
}

/** What the advisor adds binds the worker and the reviewer as the lead's own constraints do. */
function withConstraints(directive: LeadDirectiveV1, advice: AdvisorNote | undefined): LeadDirectiveV1 {
  const added = advice?.added_constraints ?? [];
  return added.length === 0 ? directive : { ...directive, constraints: [...directive.constraints, ...added] };
}

async function makePlan(context: AgentContext, path: Path, directive: LeadDirectiveV1): Promise<Result<Planned>> {
  let advice: AdvisorNote | undefined;
  for (let asked = false; ; asked = true) {
    if (directive.needs_advisor === true && advice === undefined) {
      const note = await advise(context, path, directive);
      if (!note.ok) return note;
      advice = note.value;
    }
    const moved = path.go("PLAN");
    if (!moved.ok) return moved;
    const handoff = { directive, tools: context.tools.map((tool) => tool.name), ...(advice ? { advice } : {}) };
    const answered = await callRole(context, {
      role: "planner",
      agent_id: newAgent(context),
      handoff: handoff as never,
      ...(context.brief === undefined ? {} : { data: [dataBlock("tools of this order", toolLines(context))] }),
    });
    if (!answered.ok) return answered;
    const { agent_id, output } = answered.value;
    const staged = context.recorder.stage({ type: "plan.made", actor: "planner", payload: { agent_id, plan: output } });
    if (!staged.ok) return staged;
    // A planner that asks for advice gets it once and plans again with it.
    if (!output.needs_advisor || advice !== undefined || asked) return ok({ plan: output, advice });
    const note = await advise(context, path, directive);
    if (!note.ok) return note;
    advice = note.value;
  }
}

async function advise(context: AgentContext, path: Path, directive: LeadDirectiveV1): Promise<Result<AdvisorNote>> {
  const moved = path.go("ADVISE");
  if (!moved.ok) return moved;
  const answered = await callRole(context, {
    role: "advisor",
    agent_id: newAgent(context),
    handoff: { request: context.prompt, directive: directive as never },
  });
  if (!answered.ok) return answered;
  const { agent_id, output } = answered.value;
  const staged = context.recorder.stage({
    type: "advisor.note",
    actor: "advisor",
    payload: { agent_id, note: output },
  });
  return staged.ok ? ok(output) : staged;
}

/**
 * Stop: deny ends the loop (the normal end), allow lets a failed review go to rework. About work that passed only the workspace's own
 * hooks are asked, as they are about the answer of an agent that works alone.
 */
async function mayGoOn(
  context: AgentContext,
  state: { readonly verdict: "pass" | "fail"; readonly reworkCount: number; readonly answer: string },
): Promise<Result<{ readonly allowed: boolean; readonly reason: string }>> {
  const terminal = state.verdict === "pass" || state.reworkCount >= context.limits.max_reworks;
  const payload = { ok: state.verdict === "pass", verdict: state.verdict, rework_count: state.reworkCount, terminal };
  const fired = await context.hooks.fire(
    "Stop",
    state.verdict === "pass" && hasStopHooks(context)
      ? { subject: "answer", payload: { ...payload, answer: state.answer } }
      : { payload },
    { recorder: context.recorder, signal: context.signal },
  );
  if (!fired.ok) return fired;
  return ok({ allowed: fired.value.decision === "allow", reason: fired.value.reason });
}

function stepFailed(path: Path, failure: NonNullable<WorkDone["failure"]>): Result<never> {
  const moved = path.go("FAIL");
  if (!moved.ok) return moved;
  return err(domainError(failure.code as ErrorCode, failure.message, { details: { step_id: failure.step_id } }));
}

/** The lead gets the names of the skills that there are. */
export function skillsFor({ brief, prompt, limits }: Pick<AgentContext, "brief" | "prompt" | "limits">): {
  readonly data?: readonly string[];
} {
  const catalogue = brief ? skillCatalogue(brief.skills, prompt, limits.context_tokens) : "";
  return catalogue === "" ? {} : { data: [dataBlock("skills of this workspace", catalogue)] };
}

function toolLines({ tools }: AgentContext): string {
  return tools.map(({ name, description }) => `${name}: ${description}`).join("\n");
}

function newAgent(context: AgentContext): string {
  return context.ids.agentId(context.author.framework_id, context.author.work_order_id);
}

/** Where the request stands; each move is recorded before the next role speaks. */
class Path {
  #state: State = "INTAKE";
  readonly #context: AgentContext;

  constructor(context: AgentContext) {
    this.#context = context;
  }

  beginAgain(): void {
    this.#state = "INTAKE";
  }

  go(to: State): Result<unknown> {
    const from = this.#state;
    this.#state = to;
    return this.#context.recorder.stage({ type: "agent.transition", actor: actors[to], payload: { from, to } });
  }
}
