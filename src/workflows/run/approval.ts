import { type DomainError, domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { Denied, Verdict } from "#people";
import { workflowWait } from "../approval-kinds/workflow-wait.ts";
import type { CycleRun } from "./cycle-run.ts";
import { type CycleState, visitOf } from "./state.ts";

/**
 * A phase that waits for a person. Until there is a decision the session stops open; resumed, it asks again. In the modes
 * without a person the answer is no.
 */
export async function waitForPerson(run: CycleRun, state: CycleState): Promise<Result<Answered>> {
  const { approval } = state.phase.definition.data;
  if (!approval) return ok({ state, at: null });
  const answer = await answerOf(run, state, approval);
  if (!answer.ok) return answer;
  if (answer.value.state === "waiting") return err(waiting(state, approval.question, answer.value.approval_id));
  const { by, reason, approval_id } = answer.value;
  const decision = answer.value.state === "denied" && answer.value.expired ? "expired" : answer.value.state;
  const given = await run.recorder.append({
    type: "workflow.approval_given",
    actor: by,
    payload: {
      cycle_id: state.cycle.id,
      phase: state.phase.id,
      visit: visitOf(state),
      ...(approval_id === undefined ? {} : { approval_id }),
      decision,
      by,
      reason,
    },
  });
  if (!given.ok) return given;
  const said = given.value.payload;
  return ok({
    state: { ...state, approval: { decision: said.decision, by: said.by, reason: said.reason } },
    at: given.value.ts,
  });
}

export interface Answered {
  readonly state: CycleState;
  /** When the decision was recorded; null: no person was asked. */
  readonly at: string | null;
}

/** Modes in which no person can be asked. */
export function isAlone({ mode }: CycleState): boolean {
  return hasNoPerson(mode);
}

export function hasNoPerson(mode: CycleState["mode"] | undefined): boolean {
  return mode === "headless" || mode === "report-only";
}

/** The denial of a mode without a person: no question was stored. */
interface NoPerson extends Omit<Denied, "approval_id"> {
  readonly approval_id: undefined;
}

async function answerOf(
  run: CycleRun,
  state: CycleState,
  { question, timeout_seconds }: { readonly question: string; readonly timeout_seconds?: number },
): Promise<Result<Verdict | NoPerson>> {
  if (isAlone(state))
    return ok({
      state: "denied",
      by: "workflow",
      reason: `in the mode ${state.mode} there is nobody to ask`,
      approval_id: undefined,
      expired: false,
    });
  const { outputs, aggregate } = state;
  return run.ask(workflowWait, {
    question,
    cycle_id: state.cycle.id,
    phase: state.phase.id,
    visit: visitOf(state),
    timeout_seconds: timeout_seconds ?? null,
    about: { outputs, ...(aggregate === null ? {} : { review_aggregate: aggregate as unknown as JsonObject }) },
  });
}

export function waiting(state: CycleState, question: string, approval_id: string): DomainError {
  return domainError("APPROVAL_PENDING", `${state.phase.id} waits for a person: ${question}`, {
    details: {
      approval_id,
      phase: state.phase.id,
      hint: `writ inbox show ${approval_id}; once it is decided, writ session resume goes on`,
    },
  });
}
