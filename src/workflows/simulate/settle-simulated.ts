import { whyNotNamed } from "#governance";
import type { Finding, Route } from "../findings/finding.ts";
import type { PolicyDecision } from "../policies/decision.ts";
import { policyKinds } from "../policies/policy-kinds.ts";
import { isAlone } from "../run/approval.ts";
import type { Reviewed } from "../run/judge.ts";
import { nameOf, planFinding, toSettle } from "../run/plan-finding.ts";
import type { CycleState } from "../run/state.ts";
import type { Happening } from "./scenario.ts";

/** One finding: where it is sent and by which rule, and how it would end. */
export interface SimulatedFinding {
  readonly finding: string;
  readonly title: string;
  readonly severity: Finding["severity"];
  readonly file: string | null;
  readonly line: number | null;
  /** `suppressed` is set apart, `deny` stops the cycle, `pre_existing` is old; null: no policy routes. */
  readonly route: Route | "suppressed" | "deny" | "pre_existing" | null;
  readonly policy: string | null;
  /** Position of the rule; null: the default, or no policy. */
  readonly rule: number | null;
  /** Why it is sent there. */
  readonly reason: string;
  /** A fix is taken to fit its file and to lie in the order's scope: a simulation knows neither. */
  readonly outcome: "applied" | "refused" | "left";
  readonly end: string;
}

export interface SimulatedEnds {
  readonly findings: readonly SimulatedFinding[];
  /** What the policies on personas said to the fixes. */
  readonly decisions: readonly PolicyDecision[];
  readonly mended: readonly string[];
}

/** What a run would do with each finding, by the same decisions; a person nods unless the scenario says otherwise. */
export function settleSimulated(
  state: CycleState,
  { aggregate, decisions, facts }: Reviewed,
  { nod = "approved" }: Happening,
): SimulatedEnds {
  const settled = new Set(toSettle(aggregate?.findings ?? [], decisions));
  const asked: PolicyDecision[] = [];
  const mended: string[] = [];
  const given = isAlone(state) ? null : { isGiven: nod === "approved", reason: "given" };
  const endOf = (finding: Finding, route: SimulatedFinding["route"]): Pick<SimulatedFinding, "outcome" | "end"> => {
    if (!settled.has(finding)) return { outcome: "left", end: whyUnsettled(finding, route) };
    const plan = planFinding(state, facts, finding, given);
    asked.push(...plan.decisions);
    if (plan.kind === "end") return { outcome: plan.end.outcome, end: plan.end.reason };
    const unnamed = plan.grants.length > 0 ? whyNotNamed(plan.grants, plan.fix.file) : undefined;
    if (unnamed !== undefined) return { outcome: "refused", end: unnamed };
    mended.push(nameOf(finding));
    return { outcome: "applied", end: `its fix goes into ${plan.fix.file}` };
  };
  const show = (finding: Finding, route: SimulatedFinding["route"]): SimulatedFinding => ({
    finding: nameOf(finding),
    title: finding.title,
    severity: finding.severity,
    file: finding.file ?? null,
    line: finding.line ?? null,
    route,
    ...sourceOf(decisions, finding, route),
    ...endOf(finding, route),
  });
  const isDenied = (finding: Finding) => decisions.some((each) => isAbout(each, finding) && each.decision === "deny");
  const findings = [
    ...(aggregate?.findings ?? []).map((each) => show(each, isDenied(each) ? "deny" : (each.route ?? null))),
    ...(aggregate?.pre_existing ?? []).map((each) => show(each, isDenied(each) ? "deny" : "pre_existing")),
    ...(aggregate?.suppressed ?? []).map((each) => show(each, "suppressed")),
  ];
  return { findings, decisions: asked, mended };
}

function whyUnsettled({ resolved }: Finding, route: SimulatedFinding["route"]): string {
  if (resolved === true) return "it is mended already";
  switch (route) {
    case "deny":
      return "it stops the cycle";
    case "suppressed":
      return "set apart, it decides nothing";
    case "pre_existing":
      return "it was there before, and is kept apart";
    case null:
      return "it counts when the signals are asked";
    default:
      return "the review stops the cycle, which mends nothing";
  }
}

/** The policy whose word counted, the most careful one that names this route. */
function sourceOf(
  decisions: readonly PolicyDecision[],
  finding: Finding,
  route: SimulatedFinding["route"],
): Pick<SimulatedFinding, "policy" | "rule" | "reason"> {
  const said = route === "pre_existing" ? finding.route : route;
  const source = decisions.find((each) => isAbout(each, finding) && each.decision === said);
  return source
    ? { policy: source.policy.id, rule: source.rule, reason: source.reason }
    : { policy: null, rule: null, reason: "no policy routes it" };
}

function isAbout({ policy, subject }: PolicyDecision, finding: Finding): boolean {
  const isShownWithFindings = policyKinds[policy.kind].simulate === "with the finding";
  return isShownWithFindings && !policy.shadow && subject === nameOf(finding);
}
