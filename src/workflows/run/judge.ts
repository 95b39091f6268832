import type { Compiled } from "#core/expressions";
import type { JsonObject, JsonValue, Result } from "#core/values";
import type { Phase, Policy } from "../definitions/cycle.ts";
import { type Aggregate, aggregate } from "../findings/aggregate.ts";
import { isTrue, type PolicyDecision, type SignalFailure } from "../policies/decision.ts";
import { meaningOf } from "../policies/effect.ts";
import { judgeFindings } from "../policies/judge-findings.ts";
import type { ReviewedVisit } from "../policies/loop-history.ts";
import { reviews } from "../policies/policy-kind.ts";
import { policiesAsked } from "../policies/policy-kinds.ts";
import { whyOutOfBounds } from "./bounds.ts";
import { factsOf } from "./facts.ts";
import type { CycleState, Gathered } from "./state.ts";

export type Outcome =
  | { readonly kind: "advance"; readonly to: Phase; readonly reason: string; readonly signal: string }
  | { readonly kind: "repeat"; readonly reason: string }
  | { readonly kind: "done"; readonly reason: string }
  | { readonly kind: "halted"; readonly reason: string }
  | { readonly kind: "abort"; readonly reason: string; readonly code: "POLICY_DENIED" | "WORKFLOW_ABORTED" };

export interface AskedSignal {
  readonly signal: string;
  readonly expression: string;
  readonly value: "true" | "false" | "error";
}

/** Everything that a phase's end decides: pure, so that a run, a simulation and a backtest decide alike. */
export interface Judgement {
  readonly state: CycleState;
  /** Of the policies on findings first, then of those on the loop. */
  readonly decisions: readonly PolicyDecision[];
  readonly loop: readonly PolicyDecision[];
  readonly signals: readonly AskedSignal[];
  /** Of the policies on the loop and of signals; those of the findings' policies are with their decisions. */
  readonly failures: readonly SignalFailure[];
  readonly aggregate: Aggregate | null;
  readonly facts: JsonObject;
  readonly outcome: Outcome;
}

/** Policies in order, then the signals: fan-in → findings' policies → loop policies → halt → abort → done → transitions → advance. */
export function judge(
  before: CycleState,
  gathered: Gathered,
  /** Findings whose fix is in place: their fingerprints. */
  mended: readonly string[] = [],
): Judgement {
  const asked = new Asked(before);
  const reviewed = review(before, gathered, mended);
  const loop: PolicyDecision[] = [];
  let state = remember(before, gathered, reviewed.aggregate);
  const facts = factsOf(state, gathered.observed, outputOf(gathered));
  for (const { policy, spec } of policiesAsked(policiesOf(before), "loop")) {
    state = withGrade(state, policy, facts);
    const { generation, history, grades } = state;
    loop.push(spec.judge(policy, { generation, history, grades: grades[policy.definition.file] ?? [] }, facts));
  }
  const decisions = [...reviewed.decisions, ...loop];
  const outcome = decideOutcome(state, gathered, decisions, (signal, expression) =>
    asked.holds(signal, expression, facts),
  );
  return {
    state,
    decisions,
    loop,
    signals: asked.signals,
    failures: [...loop.flatMap((decision) => decision.failures), ...asked.failures],
    aggregate: reviewed.aggregate,
    facts,
    outcome,
  };
}

/** What the policies on findings made of them, and over which facts. */
export interface Reviewed {
  readonly aggregate: Aggregate | null;
  readonly decisions: readonly PolicyDecision[];
  readonly facts: JsonObject;
}

/** The policies on findings over what was gathered; nothing where no persona reviews. */
export function review(state: CycleState, gathered: Gathered, mended: readonly string[] = []): Reviewed {
  if (!reviews(state.phase)) return { aggregate: null, decisions: [], facts: {} };
  const fresh = (findings: Gathered["findings"], suppressed: Gathered["findings"]) =>
    aggregate({ findings, suppressed, coverage: gathered.coverage, generation: state.generation });
  // Rules on findings see the aggregate as it is before they have spoken.
  const facts = factsOf(state, gathered.observed, { aggregate: fresh(gathered.findings, []), ...outputOf(gathered) });
  const judged = judgeFindings(policiesOf(state), gathered.findings, facts);
  const findings = judged.findings.map((finding) =>
    mended.includes(finding.fingerprint ?? finding.id) ? { ...finding, resolved: true } : finding,
  );
  return { aggregate: fresh(findings, [...judged.suppressed]), decisions: judged.decisions, facts };
}

function policiesOf({ cycle, phase }: CycleState): readonly Policy[] {
  return [...cycle.policies, ...phase.policies];
}

function remember(state: CycleState, gathered: Gathered, reviewed: Aggregate | null): CycleState {
  const past: readonly ReviewedVisit[] = reviewed
    ? [
        {
          generation: state.generation,
          phase: state.phase.id,
          grade: reviewed.grade ?? 0,
          fingerprints: reviewed.findings.map(({ fingerprint, id }) => fingerprint ?? id).toSorted(),
        },
      ]
    : [];
  return {
    ...state,
    aggregate: reviewed ?? state.aggregate,
    history: [...state.history, ...past],
    outputs: gathered.output === undefined ? state.outputs : { ...state.outputs, [state.phase.id]: gathered.output },
  };
}

function withGrade(state: CycleState, policy: Policy, facts: JsonObject): CycleState {
  if (!policy.grade) return state;
  const value = policy.grade.evaluate(facts);
  const grade =
    value.ok && (typeof value.value === "bigint" || typeof value.value === "number") ? Number(value.value) : undefined;
  if (grade === undefined) return state;
  const { file } = policy.definition;
  return { ...state, grades: { ...state.grades, [file]: [...(state.grades[file] ?? []), grade] } };
}

function decideOutcome(
  state: CycleState,
  gathered: Gathered,
  decisions: readonly PolicyDecision[],
  holds: Holds,
): Outcome {
  const inForce = decisions.filter(({ policy }) => !policy.shadow);
  const halt = inForce.find(({ decision, policy }) => meaningOf(policy.kind, decision) === "halt");
  if (halt) return { kind: "halted", reason: `${halt.policy.id}: ${halt.reason}` };
  const denied = inForce.find(({ decision }) => decision === "deny");
  if (denied) {
    const about = denied.subject === null ? "" : ` (${denied.subject})`;
    return { kind: "abort", code: "POLICY_DENIED", reason: `${denied.policy.id} denies${about}: ${denied.reason}` };
  }
  const { cycle, phase } = state;
  // What ends a cycle fails towards the end, what lets it go on fails towards standing still.
  if (holds(`phases/${phase.id} halt_signal`, phase.halt) !== "false")
    return {
      kind: "abort",
      code: "WORKFLOW_ABORTED",
      reason: `the halt signal of ${phase.id} is true: ${phase.halt?.text}`,
    };
  if (holds(`cycles/${cycle.id} exit_conditions.abort`, cycle.abort) !== "false")
    return {
      kind: "abort",
      code: "WORKFLOW_ABORTED",
      reason: `the cycle's abort condition is true: ${cycle.abort?.text}`,
    };
  const lacking = lackingOf(gathered);
  if (lacking !== undefined) return again(state, gathered, lacking);
  const way = cycle.transitions.find(
    ({ from, when }, index) => from === phase.id && holds(`cycles/${cycle.id} transitions[${index}]`, when) === "true",
  );
  if (way) return go(state, gathered, { to: phaseOf(state, way.to), reason: way.reason, signal: way.when.text });
  if (holds(`phases/${phase.id} advance_signal`, phase.advance) !== "true")
    return again(state, gathered, `the advance signal of ${phase.id} is not true: ${phase.advance.text}`);
  if (cycle.done && holds(`cycles/${cycle.id} exit_conditions.done`, cycle.done) === "true")
    return { kind: "done", reason: `the cycle's done condition is true: ${cycle.done.text}` };
  const next = cycle.phases[cycle.phases.indexOf(phase) + 1];
  const signal = phase.advance.text;
  if (next) return go(state, gathered, { to: next, reason: `the advance signal of ${phase.id} is true`, signal });
  return cycle.done
    ? again(state, gathered, `the last phase is over and the cycle's done condition is not true: ${cycle.done.text}`)
    : { kind: "done", reason: `${phase.id}, the last phase, is over` };
}

/** What an expression says over the facts of this visit; what it says is kept with the signal's name. */
type Holds = (signal: string, expression: Compiled | null) => AskedSignal["value"];

type Advance = Extract<Outcome, { readonly kind: "advance" }>;

function go(state: CycleState, gathered: Gathered, way: Omit<Advance, "kind">): Outcome {
  const out = whyOutOfBounds(state, way.to, gathered.observed);
  return out === undefined ? { kind: "advance", ...way } : { kind: "halted", reason: out };
}

function again(state: CycleState, gathered: Gathered, reason: string): Outcome {
  const out = whyOutOfBounds(state, state.phase, gathered.observed);
  return out === undefined ? { kind: "repeat", reason } : { kind: "halted", reason: `${reason}; ${out}` };
}

function phaseOf({ cycle }: CycleState, id: string): Phase {
  return cycle.phases.find((phase) => phase.id === id) ?? cycle.entry; // the linker has seen to it that it is there
}

/** A review without an answer from a persona that is not optional lets nothing pass. */
function lackingOf({ coverage, failures }: Gathered): string | undefined {
  const missing = coverage.expected.filter((id) => !coverage.reported.includes(id) && !coverage.optional.includes(id));
  if (missing.length === 0) return undefined;
  const why = failures?.find(({ persona }) => persona === missing[0]);
  return `no answer from ${missing.join(", ")}${why ? ` (${why.code}: ${why.message})` : ""}`;
}

function outputOf(gathered: Gathered): { readonly output?: JsonValue } {
  return gathered.output === undefined ? {} : { output: gathered.output };
}

class Asked {
  readonly signals: AskedSignal[] = [];
  readonly failures: SignalFailure[] = [];
  readonly #state: CycleState;

  constructor(state: CycleState) {
    this.#state = state;
  }

  /** What there is no expression for holds in no case. */
  holds(signal: string, expression: Compiled | null, facts: JsonObject): AskedSignal["value"] {
    if (!expression) return "false";
    const held: Result<boolean> = isTrue(expression, facts);
    const value = held.ok ? (held.value ? "true" : "false") : "error";
    this.signals.push({ signal, expression: expression.text, value });
    if (!held.ok)
      this.failures.push({
        signal,
        expression: expression.text,
        message: `in ${this.#state.phase.id}: ${held.error.message}`,
      });
    return value;
  }
}
