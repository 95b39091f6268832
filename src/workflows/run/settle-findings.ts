import { canonicalJson, type DomainError, err, type JsonObject, ok, type Result, sha256 } from "#base";
import type { EventPayloads } from "#schemas";
import type { Finding } from "../findings/finding.ts";
import { permitFix } from "../policies/plan-dispatch.ts";
import { isAlone, waiting } from "./approval.ts";
import type { CycleRun } from "./cycle-run.ts";
import type { Reviewed } from "./judge.ts";
import { recordDecisions, recordFailures } from "./record.ts";
import { type CycleState, visitOf } from "./state.ts";

type Routed = EventPayloads["workflow.finding_routed"];
type End = Pick<Routed, "outcome" | "reason" | "before_hash" | "after_hash" | "approval_id" | "by">;

/**
 * What severity-routing decided is done: `apply` puts the fix in place, `gated` waits for a person's nod and then does the
 * same, `manual` is left to somebody, `advisory` to whoever reads the report. Every finding's end is an event. Answers with
 * the fingerprints of what is mended. A review that stops the cycle mends nothing.
 */
export async function settleFindings(
  run: CycleRun,
  state: CycleState,
  { aggregate, decisions, facts }: Reviewed,
): Promise<Result<readonly string[]>> {
  const open = (aggregate?.findings ?? []).filter(({ route, resolved }) => route !== undefined && resolved !== true);
  const stops = decisions.some(({ policy, decision }) => !policy.shadow && decision === "deny");
  if (stops || open.length === 0) return ok([]);
  const mended: string[] = [];
  const nods = await askForNods(run, state, open, decisions);
  if (!nods.ok) return nods;
  for (const finding of open) {
    const ended = await settle(run, state, facts, finding, nods.value);
    if (!ended.ok) return ended;
    const recorded = record(run, state, finding, ended.value);
    if (!recorded.ok) return recorded;
    if (recorded.value.outcome === "applied") mended.push(nameOf(finding));
  }
  return ok(mended);
}

interface Nod {
  readonly isGiven: boolean;
  readonly reason: string;
  readonly by: string;
  readonly approval_id: string | undefined;
}

/** Everybody's questions are in the inbox before anybody waits for an answer. */
async function askForNods(
  run: CycleRun,
  state: CycleState,
  open: readonly Finding[],
  decisions: Reviewed["decisions"],
): Promise<Result<ReadonlyMap<string, Nod>>> {
  const nods = new Map<string, Nod>();
  let pending: DomainError | undefined;
  for (const finding of open) {
    if (finding.route !== "gated" || isAlone(state)) continue;
    const question = questionOf(finding);
    const answer = await run.askPerson({
      question,
      cycle_id: state.cycle.id,
      phase: state.phase.id,
      visit: visitOf(state),
      timeout_seconds: null,
      finding: nameOf(finding),
      about: { finding: finding as unknown as JsonObject, ...gateOf(finding, decisions) },
    });
    if (!answer.ok) return answer;
    if (answer.value.state === "pending") pending ??= waiting(state, question, answer.value.approval_id);
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

async function settle(
  run: CycleRun,
  state: CycleState,
  facts: JsonObject,
  finding: Finding,
  nods: ReadonlyMap<string, Nod>,
): Promise<Result<End>> {
  const nod = nods.get(nameOf(finding));
  const { route = "advisory" } = finding;
  switch (route) {
    case "apply":
      return mend(run, state, facts, finding);
    case "gated": {
      if (!nod) return ok(left(`in the mode ${state.mode} there is nobody to ask`));
      const who = { by: nod.by, ...(nod.approval_id === undefined ? {} : { approval_id: nod.approval_id }) };
      if (!nod.isGiven) return ok({ ...left(`it was not let through: ${nod.reason}`), ...who });
      if (finding.fix === undefined) return ok({ ...left(`it may stay: ${nod.reason}`), ...who });
      const ended = await mend(run, state, facts, finding);
      return ended.ok ? ok({ ...ended.value, ...who }) : ended;
    }
    case "manual":
      return ok(left("a person mends it"));
    case "advisory":
      return ok(left("advice, for whoever reads the report"));
  }
}

/** By the rights of a worker: role-permissions are asked, and the capability layer holds what they grant against the write. */
async function mend(
  run: CycleRun,
  state: CycleState,
  facts: JsonObject,
  { fix, ...finding }: Finding,
): Promise<Result<End>> {
  if (fix === undefined) return ok(refused("its reviewer gave no fix that could be applied"));
  if (state.mode === "report-only") return ok(refused("the mode report-only writes nothing"));
  const permit = permitFix(state, facts, fix.file);
  const gated = recordDecisions(run, state, permit.decisions, facts);
  if (!gated.ok) return gated;
  const failed = recordFailures(
    run,
    state,
    permit.decisions.flatMap((decision) => decision.failures),
  );
  if (!failed.ok) return failed;
  if (permit.denied !== null) return ok(refused(permit.denied));
  const written = await run.applyFix({
    ...fix,
    call_id: `fix.${state.phase.id}.${visitOf(state)}.${sha256(nameOf(finding)).slice(0, 16)}`,
    why: `${finding.severity} ${finding.title}`.slice(0, 500),
    writes: permit.grants,
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
  return ok(refused(message));
}

function record(run: CycleRun, state: CycleState, finding: Finding, end: End): Result<Routed> {
  const { title, severity, route = "advisory", file, line, fix } = finding;
  const where = fix?.file ?? file;
  const staged = run.recorder.stage({
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
  return staged.ok ? ok(staged.value.payload) : staged;
}

function nameOf({ fingerprint, id }: Pick<Finding, "fingerprint" | "id">): string {
  return fingerprint ?? id;
}

function refused(reason: string): End {
  return { outcome: "refused", reason };
}

function left(reason: string): End {
  return { outcome: "left", reason };
}
