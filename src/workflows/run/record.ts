import { canonicalJson, ok, type Result, sha256 } from "#core/values";
import type { PolicyDecision, SignalFailure } from "../policies/decision.ts";
import type { CycleRun } from "./cycle-run.ts";
import type { Judgement, Reviewed } from "./judge.ts";
import { type CycleState, visitOf } from "./state.ts";

/** One event for every decision of every policy, those of shadows marked as such. */
export function recordDecisions(
  run: CycleRun,
  state: CycleState,
  decisions: readonly PolicyDecision[],
  facts: object,
): Result<void> {
  if (decisions.length === 0) return ok(undefined);
  const input_hash = sha256(canonicalJson(facts));
  for (const { policy, decision, reason, rule, subject } of decisions) {
    const staged = run.recorder.stage({
      type: "workflow.policy_gated",
      actor: "workflow",
      payload: {
        policy_id: policy.id,
        decision,
        reason,
        cycle_id: state.cycle.id,
        phase: state.phase.id,
        kind: policy.kind,
        ...(rule === null ? {} : { rule }),
        ...(subject === null ? {} : { subject }),
        ...(policy.shadow ? { shadow: true } : {}),
        input_hash,
      },
    });
    if (!staged.ok) return staged;
  }
  return ok(undefined);
}

/** What the policies on findings decided: recorded before anything follows from it. */
export function recordReview(run: CycleRun, state: CycleState, { decisions, facts }: Reviewed): Result<void> {
  const gated = recordDecisions(run, state, decisions, facts);
  if (!gated.ok) return gated;
  return recordFailures(
    run,
    state,
    decisions.flatMap((decision) => decision.failures),
  );
}

export function recordFailures(run: CycleRun, state: CycleState, failures: readonly SignalFailure[]): Result<void> {
  for (const { signal, expression, message } of failures) {
    const staged = run.recorder.stage({
      type: "workflow.signal_failed",
      actor: "workflow",
      payload: { cycle_id: state.cycle.id, phase: state.phase.id, signal, expression, message },
    });
    if (!staged.ok) return staged;
  }
  return ok(undefined);
}

/** The judgement of a phase: what was decided, over which facts, and where it goes. */
export function recordJudgement(
  run: CycleRun,
  { state, loop, failures, signals, aggregate, facts, outcome }: Judgement,
): Result<void> {
  const gated = recordDecisions(run, state, loop, facts);
  if (!gated.ok) return gated;
  const failed = recordFailures(run, state, failures);
  if (!failed.ok) return failed;
  const staged = run.recorder.stage({
    type: "workflow.judged",
    actor: "workflow",
    payload: {
      cycle_id: state.cycle.id,
      phase: state.phase.id,
      visit: visitOf(state),
      generation: state.generation,
      outcome: outcome.kind,
      ...(outcome.kind === "advance" ? { to: outcome.to.id } : {}),
      reason: outcome.reason,
      signals: [...signals],
      ...(aggregate === null ? {} : { aggregate, aggregate_hash: sha256(canonicalJson(aggregate)) }),
    },
  });
  return staged.ok ? ok(undefined) : staged;
}
