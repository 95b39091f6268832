import { exampleObject, type SchemaRegistry } from "#core/contracts";
import type { JsonObject, JsonValue } from "#core/values";
import type { Cycle, Phase, PolicyKind } from "../definitions/cycle.ts";
import { mergeFindings } from "../findings/merge.ts";
import type { PolicyDecision } from "../policies/decision.ts";
import { planDispatch } from "../policies/plan-dispatch.ts";
import { policyKinds } from "../policies/policy-kinds.ts";
import { answerSchema } from "../run/ask-persona.ts";
import { deniedByPerson, mayBegin, whyHalted } from "../run/before-phase.ts";
import { factsOf } from "../run/facts.ts";
import { type AskedSignal, judge, type Outcome, review } from "../run/judge.ts";
import { beginCycle, type CycleState, enter, type Gathered, type Observed, visitOf } from "../run/state.ts";
import { type Happening, happeningIn, type Scenario } from "./scenario.ts";
import { type SimulatedFinding, settleSimulated } from "./settle-simulated.ts";

/** One visit of one phase: who would be asked, what each gate would say and why, and where the cycle would go. */
export interface SimulatedStep {
  readonly phase: string;
  readonly visit: number;
  readonly generation: number;
  readonly personas: readonly { readonly persona: string; readonly asked: boolean; readonly reason: string }[];
  readonly decisions: readonly SimulatedDecision[];
  readonly signals: readonly AskedSignal[];
  readonly findings: readonly SimulatedFinding[];
  readonly aggregate: JsonValue | null;
  readonly outcome: Outcome["kind"];
  readonly to: string | null;
  readonly reason: string;
}

export interface SimulatedDecision {
  readonly policy: string;
  readonly kind: PolicyKind;
  readonly decision: string;
  readonly reason: string;
  readonly rule: number | null;
  readonly subject: string | null;
  readonly shadow: boolean;
}

export interface Simulation {
  readonly cycle_id: string;
  readonly verdict: "done" | "halted" | "abort";
  readonly phases_visited: readonly string[];
  readonly reason: string;
  readonly steps: readonly SimulatedStep[];
}

/** The decisions of a step that are not part of what it says about a finding. */
export function decisionsByThemselves({ decisions }: SimulatedStep): readonly SimulatedDecision[] {
  return decisions.filter(
    ({ kind, subject, shadow }) => policyKinds[kind].simulate === "by itself" || subject === null || shadow,
  );
}

const tokenLimit = 100_000;

/** Walks a cycle without a model, a tool or a file: the same decisions as a run, over findings that are given. */
export function simulateCycle(cycle: Cycle, scenario: Scenario, schemas: SchemaRegistry): Simulation {
  const observed = observedOf(scenario);
  let state = beginCycle({
    cycle,
    mode: scenario.mode ?? cycle.definition.data.mode ?? "interactive",
    input: (scenario.input ?? {}) as JsonObject,
    provenance: {
      work_order_id: "WO-00000000-000",
      framework_id: "FMWK-005",
      agent_class: "RESIDENT",
      caller_id: "simulation",
      dev_mode: false,
    },
  });
  const steps: SimulatedStep[] = [];
  for (;;) {
    const walked = visit(state, happeningIn(scenario, state.phase.id, visitOf(state)), observed, schemas);
    steps.push(walked.step);
    const { outcome } = walked;
    if (outcome.kind === "done" || outcome.kind === "halted" || outcome.kind === "abort")
      return {
        cycle_id: cycle.id,
        verdict: outcome.kind,
        phases_visited: walked.state.visited,
        reason: outcome.reason,
        steps,
      };
    state = enter(walked.state, outcome.kind === "advance" ? outcome.to : walked.state.phase);
  }
}

function visit(
  before: CycleState,
  happening: Happening,
  observed: Observed,
  schemas: SchemaRegistry,
): { readonly state: CycleState; readonly outcome: Outcome; readonly step: SimulatedStep } {
  const first = factsOf(before, observed);
  const stop = mayBegin(schemas, before, first) ?? whyHalted(before, first);
  if (stop) return ended(before, stop.outcome);
  const state = answered(before, happening);
  const refusal = deniedByPerson(state, factsOf(state, observed));
  if (refusal) return ended(state, refusal);
  const plan = planDispatch(state, factsOf(state, observed));
  const personas = [
    ...plan.admitted.map(({ persona }) => ({ persona: persona.id, asked: true, reason: "" })),
    ...plan.refused.map(({ persona, reason }) => ({ persona, asked: false, reason })),
  ];
  const kept = plan.refused.find(({ optional }) => !optional);
  if (plan.denied !== null || kept) {
    const denial: Outcome = { kind: "abort", code: "POLICY_DENIED", reason: plan.denied ?? kept?.reason ?? "" };
    return ended(state, denial, { personas, decisions: plan.decisions.map(shown) });
  }
  const gathered = gather(state, happening, observed, schemas);
  const settled = settleSimulated(state, review(state, gathered), happening);
  const judgement = judge(state, gathered, settled.mended);
  const { outcome, decisions, signals, aggregate } = judgement;
  return {
    state: judgement.state,
    outcome,
    step: {
      ...stepOf(state, outcome),
      personas,
      decisions: [...plan.decisions, ...decisions, ...settled.decisions].map(shown),
      signals,
      findings: settled.findings,
      aggregate: aggregate as JsonValue | null,
    },
  };
}

function answered(state: CycleState, { approval }: Happening): CycleState {
  if (!state.phase.definition.data.approval) return state;
  const alone = state.mode === "headless" || state.mode === "report-only";
  const decision = alone ? "denied" : (approval ?? "approved");
  const facts = {
    decision,
    by: "simulation",
    reason: alone ? `in the mode ${state.mode} there is nobody to ask` : "given",
  };
  return { ...state, approval: facts };
}

function gather(state: CycleState, happening: Happening, observed: Observed, schemas: SchemaRegistry): Gathered {
  const { phase } = state;
  const missing = happening.missing ?? [];
  const expected = phase.agents.map(({ persona }) => persona.id);
  const reported = expected.filter((id) => !missing.includes(id));
  const said = phase.agents
    .filter(({ persona }) => persona.definition.role.finds && reported.includes(persona.id))
    .map(({ persona }) => ({
      persona: persona.id,
      said: { findings: [...(happening.findings?.[persona.id] ?? [])], schema_version: "v1" as const },
    }));
  const output = (happening.output as JsonValue | undefined) ?? exampleOutput(state, phase, schemas);
  return {
    observed,
    findings: [...mergeFindings(said)],
    coverage: {
      expected,
      reported,
      optional: phase.agents.filter(({ optional }) => optional).map(({ persona }) => persona.id),
      files: [],
    },
    ...(output === undefined ? {} : { output }),
  };
}

/** The plainest document that each maker could bring. */
function exampleOutput(state: CycleState, phase: Phase, schemas: SchemaRegistry): JsonValue | undefined {
  const makers = phase.agents.filter(({ persona }) => !persona.definition.role.finds);
  const documents = makers.map(({ persona, ...invoked }): [string, JsonValue] => {
    const id = answerSchema(state, { invoked: { persona, ...invoked }, persona, by: null, writeGrants: [] });
    const schema = schemas.schema(id);
    return [persona.id, exampleObject(schema.ok ? schema.value : {}, "simulated")];
  });
  const [only] = documents;
  if (documents.length === 1 && only) return only[1];
  return documents.length === 0 ? undefined : Object.fromEntries(documents);
}

function observedOf({ share_left = 1 }: Scenario): Observed {
  const tokens_left = Math.floor(tokenLimit * share_left);
  return {
    elapsed_seconds: 0,
    budget: {
      token_limit: tokenLimit,
      tokens_spent: tokenLimit - tokens_left,
      tokens_left,
      turns_left: 40,
      share_left,
      usd_spent: 0,
    },
    context: { trust: "trusted", untrusted: 0, fragments: 0, origins: [], untrusted_results: 0 },
  };
}

function ended(
  state: CycleState,
  outcome: Outcome,
  more: Partial<Pick<SimulatedStep, "personas" | "decisions">> = {},
): { readonly state: CycleState; readonly outcome: Outcome; readonly step: SimulatedStep } {
  return {
    state,
    outcome,
    step: {
      ...stepOf(state, outcome),
      personas: [],
      decisions: [],
      signals: [],
      findings: [],
      aggregate: null,
      ...more,
    },
  };
}

function stepOf(
  state: CycleState,
  outcome: Outcome,
): Pick<SimulatedStep, "phase" | "visit" | "generation" | "outcome" | "to" | "reason"> {
  return {
    phase: state.phase.id,
    visit: visitOf(state),
    generation: state.generation,
    outcome: outcome.kind,
    to: outcome.kind === "advance" ? outcome.to.id : null,
    reason: outcome.reason,
  };
}

function shown({ policy, decision, reason, rule, subject }: PolicyDecision): SimulatedDecision {
  return { policy: policy.id, kind: policy.kind, decision, reason, rule, subject, shadow: policy.shadow };
}
