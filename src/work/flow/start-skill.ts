import { matchSkill, type Skill, selectSkill, skillCompleted, skillInvoked, skillSkipped } from "#agents";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { HookOutcome } from "#governance";
import { askIn } from "#people";
import type { ExecutionContext } from "./execution-context.ts";
import type { FlowDependencies, FlowState } from "./flow.ts";
import { decideSkill, type SkillMatch, skillTypes } from "./order-mandate.ts";

/** Starts the skill that the order names, or the one whose triggers occur in the prompt: records it, then fires SkillStart. */
export async function startSkill(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
): Promise<Result<Skill | null>> {
  const named = context.work_order.skill;
  // Only an order of the roles chooses a skill by its prompt; a single step uses none unless named.
  if (named === undefined && !skillTypes.includes(context.work_order.type)) return ok(null);
  const discovered = await deps.skills.discover();
  if (!discovered.ok) return discovered;
  for (const skipped of discovered.value.skipped) {
    const staged = state.session.stage(skillSkipped(skipped));
    if (!staged.ok) return staged;
  }
  const { skills } = discovered.value;
  const match: Result<SkillMatch> =
    named === undefined ? ok(matchSkill(state.prompt, skills)) : namedSkill(named, skills, state.prompt);
  if (!match.ok)
    return err(
      domainError("WORK_ORDER_INVALID", `the work order names a skill that is not there: ${match.error.message}`),
    );
  const skill = match.value.selected;
  if (!skill) return ok(null);
  const decision = state.recordedStart === undefined ? decideSkill(context.mandate, skill) : undefined;
  if (decision?.allowed === false)
    return err(
      domainError(
        "CAPABILITY_VIOLATION",
        `the skill ${skill.id} (${skill.path}) may not be loaded: ${decision.reason}`,
      ),
    );
  const kept = deps.keepSkill(state.session.session_id, skill.path);
  if (!kept.ok) return kept;
  const staged = state.session.stage(skillInvoked(skill, match.value, deps.missingTools(skill.allowedTools)));
  if (!staged.ok) return staged;
  const gate = await deps.hooks.fire(
    "SkillStart",
    { subject: skill.id, payload: { skill: skill.id, allowed_tools: skill.allowedTools } },
    { recorder: state.session, signal: state.signal, ask: askIn(deps.inbox, context.caller_id, state.session) },
  );
  if (!gate.ok && gate.error.kind === "doubt") return gate; // it waits for a person, so its end is not recorded yet
  const started = gate.ok ? mayStart(skill, gate.value) : gate;
  if (started.ok) return started;
  // Its start is recorded, so its end must be too, or the session would not verify.
  const ended = state.session.stage(skillCompleted(skill, { ok: false, reason: started.error.message }));
  return ended.ok ? started : ended;
}

/** A request that calls the skill as a command fills its arguments in, also where its order names the skill. */
function namedSkill(name: string, skills: readonly Skill[], prompt: string): Result<SkillMatch> {
  const called = matchSkill(
    prompt,
    skills.filter(({ id }) => id === name),
  );
  return called.selectedBy === "name" ? ok(called) : selectSkill(name, skills);
}

function mayStart(skill: Skill, gate: HookOutcome): Result<Skill> {
  if (gate.decision !== "deny" && gate.decision !== "ask") return ok(skill);
  return err(
    domainError("GATE_DENIED", `SkillStart refused the skill ${skill.id}: ${gate.reason}`, {
      details: { point: "SkillStart", skill: skill.id, decided_by: gate.decidedBy },
    }),
  );
}
