import { type DomainError } from "#core/errors";
import { canonicalJson, err, type JsonObject, ok, type Result, sha256 } from "#core/values";
import type { Event } from "#log";
import { gatedFinding } from "../approval-kinds/gated-finding.ts";
import type { Finding } from "../findings/finding.ts";
import { isAlone, waiting } from "./approval.ts";
import type { CycleRun } from "./cycle-run.ts";
import type { Reviewed } from "./judge.ts";
import { type FindingEnd, type FindingPlan, type Nod, nameOf, planFinding, toSettle } from "./plan-finding.ts";
import { recordDecisions, recordFailures } from "./record.ts";
import { type CycleState, visitOf } from "./state.ts";

/**
 * What severity-routing decided is done: `apply` puts the fix in place, `gated` waits for a person's nod and then does the
 * same, `manual` is left to a person, `advisory` to the readers of the report. Every finding's end is an event. A review
 * that stops the cycle mends nothing.
 */
export async function settleFindings(
  run: CycleRun,
  state: CycleState,
  { aggregate, decisions, facts }: Reviewed,
): Promise<Result<Settled>> {
  const open = toSettle(aggregate?.findings ?? [], decisions);
  const mended: string[] = [];
  let at: string | null = null;
  const nods = await askForNods(run, state, open, decisions);
  if (!nods.ok) return nods;
  for (const finding of open) {
    const ended = await settle(run, state, facts, { finding, nod: nods.value.get(nameOf(finding)) ?? null });
    if (!ended.ok) return ended;
    const recorded = record(run, state, finding, ended.value);
    if (!recorded.ok) return recorded;
    if (recorded.value.payload.outcome === "applied") mended.push(nameOf(finding));
    if (nods.value.size > 0) at ??= recorded.value.ts;
  }
  return ok({ mended, at });
}

export interface Settled {
  /** The fingerprints of what is mended. */
  readonly mended: readonly string[];
  /** When the first end was recorded after people were asked; null: none was. */
  readonly at: string | null;
}

interface GivenNod extends Nod {
  readonly by: string;
  readonly approval_id: string;
}

/** All questions are in the inbox before the cycle waits for an answer. */
async function askForNods(
  run: CycleRun,
  state: CycleState,
  open: readonly Finding[],
  decisions: Reviewed["decisions"],
): Promise<Result<ReadonlyMap<string, GivenNod>>> {
  const nods = new Map<string, GivenNod>();
  let pending: DomainError | undefined;
  for (const finding of open) {
    if (finding.route !== "gated" || isAlone(state)) continue;
    const question = questionOf(finding);
    const answer = await run.ask(gatedFinding, {
      question,
      cycle_id: state.cycle.id,
      phase: state.phase.id,
      visit: visitOf(state),
      finding: nameOf(finding),
      about: { finding: finding as unknown as JsonObject, ...gateOf(finding, decisions) },
    });
    if (!answer.ok) return answer;
    if (answer.value.state === "waiting") pending ??= waiting(state, question, answer.value.approval_id);
    else {
      const { by, reason, approval_id } = answer.value;
      nods.set(nameOf(finding), { isGiven: answer.value.state === "approved", reason, by, approval_id });
    }
  }
  return pending ? err(pending) : ok(nods);
}

/** Who has it wait, and why. */
function gateOf(finding: Finding, decisions: Reviewed["decisions"]): JsonObject {
  const gate = decisions.find(
    ({ policy, decision, subject }) => !policy.shadow && decision === "gated" && subject === nameOf(finding),
  );
  return gate ? { policy_id: gate.policy.id, decision: gate.decision, reason: gate.reason } : {};
}

function questionOf({ fix, severity, title }: Finding): string {
  return fix === undefined
    ? `${severity} ${title}: is it all right to go on?`
    : `${severity} ${title}: may its fix be applied to ${fix.file}?`;
}

/** A finding, and what a person said to it where one was asked. */
interface AnsweredFinding {
  readonly finding: Finding;
  readonly nod: GivenNod | null;
}

async function settle(
  run: CycleRun,
  state: CycleState,
  facts: JsonObject,
  { finding, nod }: AnsweredFinding,
): Promise<Result<FindingEnd>> {
  const plan = planFinding(state, facts, finding, nod);
  const gated = recordDecisions(run, state, plan.decisions, facts);
  if (!gated.ok) return gated;
  const failed = recordFailures(
    run,
    state,
    plan.decisions.flatMap((decision) => decision.failures),
  );
  if (!failed.ok) return failed;
  const ended = plan.kind === "end" ? ok(plan.end) : await mend(run, state, finding, plan);
  if (!ended.ok || !nod) return ended;
  const { by, approval_id } = nod;
  return ok({ ...ended.value, by, approval_id });
}

async function mend(
  run: CycleRun,
  state: CycleState,
  finding: Finding,
  { fix, grants }: Extract<FindingPlan, { readonly kind: "mend" }>,
): Promise<Result<FindingEnd>> {
  const written = await run.applyFix({
    ...fix,
    call_id: `fix.${state.phase.id}.${visitOf(state)}.${sha256(nameOf(finding)).slice(0, 16)}`,
    why: `${finding.severity} ${finding.title}`.slice(0, 500),
    writes: grants,
  });
  if (written.ok)
    return ok({
      outcome: "applied",
      reason: "the fix is in place",
      before_hash: written.value.before,
      after_hash: written.value.after,
    });
  const { kind, message } = written.error;
  if (kind === "log" || kind === "canceled" || kind === "internal" || kind === "doubt" || kind === "store")
    return written;
  return ok({ outcome: "refused", reason: message });
}

function record(
  run: CycleRun,
  state: CycleState,
  finding: Finding,
  end: FindingEnd,
): Result<Event<"workflow.finding_routed">> {
  const { title, severity, route = "advisory", file, line, fix } = finding;
  const where = fix?.file ?? file;
  return run.recorder.stage({
    type: "workflow.finding_routed",
    actor: "workflow",
    payload: {
      cycle_id: state.cycle.id,
      phase: state.phase.id,
      visit: visitOf(state),
      finding: nameOf(finding),
      title,
      severity,
      route,
      ...(where === undefined ? {} : { file: where }),
      ...(line === undefined ? {} : { line }),
      ...(fix === undefined ? {} : { fix_hash: sha256(canonicalJson(fix)) }),
      ...end,
    },
  });
}
