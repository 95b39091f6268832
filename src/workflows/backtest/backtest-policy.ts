import { ok, type Result } from "#core/values";
import type { Event } from "#log";
import type { Cycle, Policy } from "../definitions/cycle.ts";
import type { PolicyDecision } from "../policies/decision.ts";
import { compareEffects, effectOf } from "../policies/effect.ts";
import { permitFix, planDispatch } from "../policies/plan-dispatch.ts";
import { factsOf } from "../run/facts.ts";
import { judge, type Outcome, review } from "../run/judge.ts";
import { type CycleState, visitOf } from "../run/state.ts";
import type { PacedPolicy } from "./paced-policy.ts";
import { gatheredOf, type RecordedVisit, recordedVisits } from "./recorded-visits.ts";
import { withPolicy } from "./with-policy.ts";

/** A position in the record. */
export interface Place {
  readonly seq: number;
  readonly ts: string;
  readonly cycle_id: string;
  readonly phase: string;
  readonly visit: number;
  readonly generation: number;
}

export interface Said {
  readonly decision: string;
  readonly reason: string;
  /** Position of the rule that decided, from 0; null: the default, or a bound. */
  readonly rule: number | null;
}

/** A decision of the policy that differs from the recorded one. */
export interface DecisionDifference extends Place {
  /** What the policy judged: a finding's fingerprint, a persona's id, a mode; null: the phase. */
  readonly subject: string | null;
  /** Description of the subject, where there is one. */
  readonly about: string | null;
  /** Null: no policy of this name was asked about it. */
  readonly recorded: Said | null;
  /** Null: it would not have been asked. */
  readonly now: (Said & { readonly expression: string | null; readonly line: number | null }) | null;
  readonly change: "stricter" | "looser" | "other";
}

/** A phase that would have ended differently. The record after it follows from the recorded end. */
export interface OutcomeDifference extends Place {
  readonly recorded: EndOfPhase;
  readonly now: EndOfPhase;
}

export interface EndOfPhase {
  readonly outcome: string;
  readonly to: string | null;
  readonly reason: string;
}

export interface BacktestedCycle {
  readonly decisions: number;
  readonly different: readonly DecisionDifference[];
  readonly outcomes: readonly OutcomeDifference[];
}

/**
 * Evaluates a policy over one recorded cycle. Every visit is judged from the record before it, so one difference does not
 * hide the next. The only inputs are the record and the policy: no model, tool or person is asked. Undefined: the time was up
 * before the end, and half a cycle is no result.
 */
export async function backtestPolicy(
  events: readonly Event[],
  cycle: Cycle,
  paced: PacedPolicy,
): Promise<Result<BacktestedCycle | undefined>> {
  const visits = recordedVisits(events, cycle);
  if (!visits.ok) return visits;
  const { policy } = paced;
  const { cycle: changed } = withPolicy(cycle, policy);
  let grades: CycleState["grades"] = {};
  let decisions = 0;
  const different: DecisionDifference[] = [];
  const outcomes: OutcomeDifference[] = [];
  for (const visit of visits.value) {
    const judged = await paced.judge(() => judgeVisit(visit, under(changed, visit.state, grades), policy));
    if (!judged) return ok(undefined);
    grades = judged.grades ?? grades;
    decisions += judged.decisions;
    different.push(...judged.different);
    if (judged.outcome) outcomes.push(judged.outcome);
  }
  return ok({ decisions, different, outcomes });
}

interface JudgedVisit {
  readonly grades: CycleState["grades"] | undefined;
  readonly decisions: number;
  readonly different: readonly DecisionDifference[];
  readonly outcome: OutcomeDifference | null;
}

function judgeVisit(visit: RecordedVisit, state: CycleState, policy: Policy): JudgedVisit {
  const plan = planDispatch(state, factsOf(state, visit.entered.payload.observed));
  const judgement = visit.gathered ? judge(state, gatheredOf(visit.gathered.payload), visit.mended) : null;
  const dispatched = own(plan.decisions, policy);
  const judged = own(judgement?.decisions ?? [], policy);
  let decisions = dispatched.length + judged.length;
  const compared = { visit, policy };
  const different = [
    ...compare(compared, visit.dispatched, dispatched, visit.entered),
    ...compare(compared, visit.gated, judged, visit.judged ?? visit.entered),
  ];
  for (const { file, gated } of visit.fixes) {
    const facts = visit.gathered ? review(state, gatheredOf(visit.gathered.payload)).facts : {};
    const permitted = own(permitFix(state, facts, file).decisions, policy);
    decisions += permitted.length;
    different.push(...compare(compared, gated, permitted, visit.judged ?? visit.entered));
  }
  const kept = plan.refused.find(({ optional }) => !optional);
  const refusal = plan.denied ?? kept?.reason;
  const end: Outcome | null =
    refusal === undefined ? (judgement?.outcome ?? null) : { kind: "abort", code: "POLICY_DENIED", reason: refusal };
  return { grades: judgement?.state.grades, decisions, different, outcome: end && compareEnds(visit, end) };
}

/** The recorded state under the changed cycle. */
function under(cycle: Cycle, state: CycleState, grades: CycleState["grades"]): CycleState {
  const phase = cycle.phases.find(({ id }) => id === state.phase.id);
  if (!phase) throw new Error(`the changed cycle has lost its phase ${state.phase.id}`);
  return { ...state, cycle, phase, grades: { ...state.grades, ...grades } };
}

function own(decisions: readonly PolicyDecision[], { id }: Policy): readonly PolicyDecision[] {
  return decisions.filter(({ policy }) => policy.id === id);
}

/** The policy as it is now, and a visit that was recorded under the one before. */
interface Compared {
  readonly visit: RecordedVisit;
  readonly policy: Policy;
}

/** Compares subject by subject; where a policy is asked twice about one subject, in order. */
function compare(
  compared: Compared,
  before: readonly Event<"workflow.policy_gated">[],
  now: readonly PolicyDecision[],
  otherwise: Event,
): readonly DecisionDifference[] {
  const recorded = before.filter(({ payload }) => payload.policy_id === compared.policy.id && payload.shadow !== true);
  const left = [...recorded];
  const pairs: (readonly [Event<"workflow.policy_gated"> | null, PolicyDecision | null])[] = now.map((decision) => {
    const at = left.findIndex(({ payload }) => (payload.subject ?? null) === decision.subject);
    return [at < 0 ? null : (left.splice(at, 1)[0] ?? null), decision];
  });
  pairs.push(...left.map((event) => [event, null] as const));
  return pairs.flatMap(([was, is]) => difference(compared, was, is, otherwise));
}

function difference(
  { visit, policy }: Compared,
  was: Event<"workflow.policy_gated"> | null,
  is: PolicyDecision | null,
  otherwise: Event,
): readonly DecisionDifference[] {
  if (was?.payload.decision === is?.decision) return [];
  const effects = [was?.payload.decision, is?.decision].map((each) =>
    effectOf(policy.kind, each === undefined ? [] : [each]),
  );
  const [before = "", now = ""] = effects;
  const change = compareEffects(policy.kind, before, now);
  // A new policy decides on every subject although none of its decisions is recorded; one that lets all pass is no difference.
  if (!was && change === "same") return [];
  const subject = is?.subject ?? was?.payload.subject ?? null;
  const rule = is && is.rule !== null ? policy.rules[is.rule] : undefined;
  return [
    {
      ...placeOf(visit, was ?? otherwise),
      subject,
      about: aboutOf(visit, subject),
      recorded: was
        ? { decision: was.payload.decision, reason: was.payload.reason, rule: was.payload.rule ?? null }
        : null,
      now: is && {
        decision: is.decision,
        reason: is.reason,
        rule: is.rule,
        expression: rule?.when.text ?? null,
        line: rule?.line ?? null,
      },
      change: change === "same" ? "other" : change,
    },
  ];
}

function compareEnds(visit: RecordedVisit, end: Outcome): OutcomeDifference | null {
  if (!visit.judged) return null;
  const { outcome, to, reason } = visit.judged.payload;
  const now = { outcome: end.kind, to: end.kind === "advance" ? end.to.id : null, reason: end.reason };
  if (now.outcome === outcome && now.to === (to ?? null)) return null;
  return { ...placeOf(visit, visit.judged), recorded: { outcome, to: to ?? null, reason }, now };
}

function placeOf({ state }: RecordedVisit, { seq, ts }: Event): Place {
  const { cycle, phase, generation } = state;
  return { seq, ts, cycle_id: cycle.id, phase: phase.id, visit: visitOf(state), generation };
}

function aboutOf({ gathered }: RecordedVisit, subject: string | null): string | null {
  const found = gathered?.payload.findings.find(({ fingerprint, id }) => subject === (fingerprint ?? id));
  if (!found) return null;
  const where = found.file === undefined ? "" : ` (${found.file}${found.line === undefined ? "" : `:${found.line}`})`;
  return `${found.severity} ${found.title}${where}`;
}
