import { type DomainError, domainError, messageOf } from "#core/errors";
import { canonicalJson, err, type JsonObject, type JsonValue, ok, type Result, sha256 } from "#core/values";
import { planDispatch } from "../policies/plan-dispatch.ts";
import { waitForPerson } from "./approval.ts";
import { deniedByPerson, mayBegin, whyHalted } from "./before-phase.ts";
import { whyOutOfBounds } from "./bounds.ts";
import type { CycleRun } from "./cycle-run.ts";
import { factsOf } from "./facts.ts";
import { type FanIn, fanOut } from "./fan-out.ts";
import { advanceGate, completeGate, startGate } from "./gates.ts";
import { inOneOrder } from "./in-one-order.ts";
import { type Judgement, judge, type Outcome, review } from "./judge.ts";
import { observe } from "./observe.ts";
import { recordDecisions, recordFailures, recordJudgement, recordReview } from "./record.ts";
import { settleFindings } from "./settle-findings.ts";
import { beginCycle, type CycleState, enter, type Gathered, visitOf } from "./state.ts";
import { type Written, writeArtifacts } from "./write-artifacts.ts";

/** How a cycle ended: done, halted or aborted. An abort has a reason. */
export interface CycleEnd {
  readonly cycle_id: string;
  readonly verdict: "done" | "halted" | "abort";
  readonly phases_visited: readonly string[];
  readonly reason: string;
  readonly error: DomainError | null;
  readonly outputs: JsonObject;
  readonly aggregate: JsonValue | null;
  readonly artifacts: readonly string[];
}

/**
 *   WorkflowStart ─► entry phase ─► [halt?] ─► person? ─► fan-out ─► fan-in ─► policies ─► fixes ─► signals ─► PhaseAdvance ─┐
 *                        ▲                                                                    │ done, halted, abort   │
 *                        └────────────────────────────────────────────────────────────────────┼───────────────────────┘
 *                                                                                             ▼ WorkflowComplete
 *
 * Every arrow is recorded before it is taken. Decisions depend on the record alone, so that a cycle that was stopped anywhere
 * takes the same way when it is run again over its record.
 */
export async function runCycle(run: CycleRun): Promise<Result<CycleEnd>> {
  const gate = await startGate(run);
  if (!gate.ok) return gate;
  const { mode, input } = gate.value;
  if (run.cycle.definition.data.input_schema !== undefined) {
    const checked = run.schemas.validate(run.cycle.definition.data.input_schema, input);
    if (!checked.ok)
      return err(
        domainError(
          "SCHEMA_VIOLATION",
          `the input is not what the cycle ${run.cycle.id} asks for: ${checked.error.message}`,
          { details: checked.error.details },
        ),
      );
  }
  const kept = await run.keepDefinitions(run.cycle);
  if (!kept.ok) return kept;
  const started = await run.recorder.append({
    type: "workflow.started",
    actor: "workflow",
    payload: {
      cycle_id: run.cycle.id,
      session_id: run.recorder.session_id,
      entry_phase: run.cycle.entry.id,
      mode,
      cycle_hash: kept.value,
      input_hash: sha256(canonicalJson(input)),
    },
  });
  if (!started.ok) return started;
  const startedAt = Date.parse(started.value.ts);
  const journey = new Journey(
    run,
    startedAt,
    beginCycle({ cycle: run.cycle, mode, input, provenance: run.provenance }),
  );
  const ended = await journey.go().catch((thrown: unknown) => err(broken(thrown)));
  if (!ended.ok) return leave(run, journey.state, ended.error);
  return conclude(run, journey, ended.value);
}

/** A broken invariant of Writ itself ends the flow; the record still gets an end for everything that was announced. */
function broken(thrown: unknown): DomainError {
  return domainError("INTERNAL", `the cycle broke: ${messageOf(thrown)}`, { cause: thrown });
}

/** From the record alone, so that a cycle that is run again over it counts the same. */
function between(from: string, to: string | null): number {
  return to === null ? 0 : Math.max(0, Date.parse(to) - Date.parse(from));
}

/** An outcome of a phase that ends the cycle. */
type End = Extract<Outcome, { readonly kind: "done" | "halted" | "abort" }> & { readonly error?: DomainError };

class Journey {
  state: CycleState;
  written: Written = new Map();
  #untrusted = 0;
  /** Milliseconds that people took to answer: the cycle's own time does not run meanwhile. */
  #waited = 0;
  readonly #run: CycleRun;
  readonly #startedAt: number;

  constructor(run: CycleRun, startedAt: number, state: CycleState) {
    this.#run = run;
    this.#startedAt = startedAt;
    this.state = state;
  }

  async go(): Promise<Result<End>> {
    for (;;) {
      const visited = await this.#visit();
      if (!visited.ok) return visited;
      const outcome = visited.value;
      if (outcome.kind === "halted" || outcome.kind === "abort") return ok(outcome);
      const gate = await advanceGate(this.#run, this.state, outcome);
      if (!gate.ok) return gate.error.kind === "gate" ? ok(abortBy(gate.error)) : gate;
      const to = gate.value;
      const { phase, generation, aggregate } = this.state;
      const advanced = this.#run.recorder.stage({
        type: "workflow.phase_advanced",
        actor: "workflow",
        payload: {
          cycle_id: this.state.cycle.id,
          from_phase: phase.id,
          to_phase: to?.id ?? null,
          generation,
          ...(outcome.kind === "advance" ? { signal: outcome.signal } : {}),
          ...(aggregate === null ? {} : { aggregate_hash: sha256(canonicalJson(aggregate)) }),
        },
      });
      if (!advanced.ok) return advanced;
      if (to === null) return ok({ kind: "done", reason: outcome.reason });
      this.state = enter(this.state, to);
    }
  }

  /** One visit of one phase, from its halt signal to its judgement. */
  async #visit(): Promise<Result<Outcome | End>> {
    const run = this.#run;
    const place = {
      cycle_id: this.state.cycle.id,
      phase: this.state.phase.id,
      visit: visitOf(this.state),
      generation: this.state.generation,
    };
    const now = await observe(run, this.#startedAt + this.#waited, this.#untrusted);
    if (!now.ok) return now;
    const entered = run.recorder.stage({
      type: "workflow.entered",
      actor: "workflow",
      payload: { ...place, observed: now.value },
    });
    if (!entered.ok) return entered;
    const { observed } = entered.value.payload;
    const before = factsOf(this.state, observed);
    const stop = mayBegin(run.schemas, this.state, before) ?? whyHalted(this.state, before);
    if (stop) {
      const failed = recordFailures(run, this.state, stop.failures);
      return failed.ok ? ok(stop.outcome) : failed;
    }
    const answered = await waitForPerson(run, this.state);
    if (!answered.ok) return answered;
    this.state = answered.value.state;
    this.#waited += between(entered.value.ts, answered.value.at);
    const refusal = deniedByPerson(this.state, factsOf(this.state, observed));
    if (refusal) return ok(refusal.kind === "advance" ? this.#withinBounds(refusal, observed) : refusal);

    const facts = factsOf(this.state, observed);
    const plan = planDispatch(this.state, facts);
    const gated = recordDecisions(run, this.state, plan.decisions, facts);
    if (!gated.ok) return gated;
    const failed = recordFailures(
      run,
      this.state,
      plan.decisions.flatMap((decision) => decision.failures),
    );
    if (!failed.ok) return failed;
    const kept = plan.refused.find(({ optional }) => !optional);
    if (plan.denied !== null || kept)
      return ok({ kind: "abort", code: "POLICY_DENIED", reason: plan.denied ?? kept?.reason ?? "" });

    const brought = await fanOut(run, this.state, plan);
    if (!brought.ok) return brought;
    const gathered = await this.#gather(place, brought.value);
    if (!gathered.ok) return gathered;
    const reviewed = review(this.state, gathered.value);
    const routed = recordReview(run, this.state, reviewed);
    if (!routed.ok) return routed;
    const settled = await settleFindings(run, this.state, reviewed);
    if (!settled.ok) return settled;
    this.#waited += between(gathered.value.at, settled.value.at);
    const judgement = judge(this.state, gathered.value, settled.value.mended);
    this.state = judgement.state;
    const recorded = recordJudgement(run, judgement);
    if (!recorded.ok) return recorded;
    return this.#deliver(judgement, plan.artifacts);
  }

  async #gather(
    place: { readonly cycle_id: string; readonly phase: string; readonly visit: number; readonly generation: number },
    brought: FanIn,
  ): Promise<Result<Gathered & { readonly at: string }>> {
    this.#untrusted += brought.untrusted;
    const now = await observe(this.#run, this.#startedAt + this.#waited, this.#untrusted);
    if (!now.ok) return now;
    const { findings, coverage, failures = [], output } = inOneOrder(baselined(this.state, brought));
    const recorded = this.#run.recorder.stage({
      type: "workflow.gathered",
      actor: "workflow",
      payload: {
        ...place,
        observed: now.value,
        findings,
        coverage,
        failures,
        findings_hash: sha256(canonicalJson(findings)),
        ...(output === undefined ? {} : { output: output as JsonObject, output_hash: sha256(canonicalJson(output)) }),
      },
    });
    if (!recorded.ok) return recorded;
    const { payload, ts } = recorded.value;
    const made = payload.output === undefined ? {} : { output: payload.output as JsonValue };
    return ok({ ...(payload as Omit<Gathered, "output">), ...made, at: ts });
  }

  /** People read the artifacts, so a review that stops the cycle delivers its report too. An artifact that cannot be written stops the cycle. */
  async #deliver(judgement: Judgement, artifacts: readonly string[] | null): Promise<Result<Outcome | End>> {
    const { outcome } = judgement;
    if (outcome.kind === "repeat") return ok(outcome);
    const delivered = await writeArtifacts(this.#run, judgement, {
      startedAt: this.#startedAt,
      delivered: artifacts,
      written: this.written,
    });
    if (delivered.ok) {
      this.written = delivered.value;
      return ok(outcome);
    }
    const { kind } = delivered.error;
    if (kind === "log" || kind === "canceled" || kind === "internal" || kind === "doubt" || kind === "store")
      return delivered;
    return ok(outcome.kind === "halted" || outcome.kind === "abort" ? outcome : abortBy(delivered.error));
  }

  #withinBounds(outcome: Extract<Outcome, { readonly kind: "advance" }>, observed: Gathered["observed"]): Outcome {
    const out = whyOutOfBounds(this.state, outcome.to, observed);
    return out === undefined ? outcome : { kind: "halted", reason: out };
  }
}

/** Findings that the input lists as known are not new, whatever a reviewer says. */
function baselined(state: CycleState, brought: FanIn): FanIn {
  const known = state.input["baseline"];
  if (!Array.isArray(known)) return brought;
  return {
    ...brought,
    findings: brought.findings.map((finding) =>
      known.includes(finding.fingerprint ?? "") ? { ...finding, pre_existing: true } : finding,
    ),
  };
}

function abortBy(error: DomainError): End {
  return { kind: "abort", code: "WORKFLOW_ABORTED", reason: error.message, error };
}

/** Records the verdict before the caller gets it. */
async function conclude(run: CycleRun, { state, written }: Journey, end: End): Promise<Result<CycleEnd>> {
  const { cycle_id, phases_visited } = { cycle_id: run.cycle.id, phases_visited: [...state.visited] };
  const verdict = end.kind;
  const outputs = state.outputs;
  const recorded =
    end.kind === "abort"
      ? await run.recorder.append({
          type: "workflow.aborted",
          actor: "workflow",
          payload: {
            cycle_id,
            verdict: "abort",
            reason: end.reason,
            phase: state.phase.id,
            code: end.error?.code ?? end.code,
            phases_visited,
          },
        })
      : await run.recorder.append({
          type: "workflow.completed",
          actor: "workflow",
          payload: {
            cycle_id,
            verdict: end.kind,
            reason: end.reason,
            phases_visited,
            generations: state.generation,
            output_hash: sha256(canonicalJson(outputs)),
          },
        });
  if (!recorded.ok) return recorded;
  const gated = await completeGate(run, { cycle_id, verdict, reason: end.reason, phases_visited });
  if (!gated.ok) return gated;
  return ok({
    cycle_id,
    verdict,
    phases_visited,
    reason: end.reason,
    error: errorOf(end),
    outputs,
    aggregate: state.aggregate as JsonValue | null,
    artifacts: [...written.keys()],
  });
}

function errorOf(end: End): DomainError | null {
  if (end.kind === "done") return null;
  if (end.kind === "halted") return domainError("WORKFLOW_HALTED", `the cycle was halted: ${end.reason}`);
  return end.error ?? domainError(end.code, `the cycle was given up: ${end.reason}`);
}

/** A flow that only stops (a halt, a doubt, a person to wait for) leaves the cycle open; one that ends takes the cycle with it. */
async function leave(run: CycleRun, state: CycleState, error: DomainError): Promise<Result<never>> {
  const stopsOpen =
    error.kind === "doubt" || error.kind === "log" || error.kind === "canceled" || error.code === "HALTED";
  if (!stopsOpen || error.code === "TIMEOUT") {
    const recorded = await run.recorder.append({
      type: "workflow.aborted",
      actor: "workflow",
      payload: {
        cycle_id: run.cycle.id,
        verdict: "abort",
        reason: error.message,
        phase: state.phase.id,
        code: error.code,
        phases_visited: [...state.visited],
      },
    });
    if (!recorded.ok) return recorded;
  }
  return err(error);
}
