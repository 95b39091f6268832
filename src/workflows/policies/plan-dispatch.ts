import type { JsonObject } from "#base";
import type { Grant } from "#governance";
import type { Invoked, Persona, Policy } from "../definitions/cycle.ts";
import type { CycleState } from "../run/state.ts";
import { decide, type PolicyDecision, withParameters } from "./decision.ts";

/** Who may be asked in a phase, what each may write, and what may be delivered: decided before anybody is asked. */
export interface DispatchPlan {
  readonly decisions: readonly PolicyDecision[];
  readonly admitted: readonly Admitted[];
  /** Personas that a policy keeps out, with its reason. */
  readonly refused: readonly { readonly persona: string; readonly optional: boolean; readonly reason: string }[];
  /** Why the phase is not for this mode; null when it is. */
  readonly denied: string | null;
  /** The artifacts that this mode delivers; null: all that the phase names. */
  readonly artifacts: readonly string[] | null;
}

export interface Admitted {
  readonly invoked: Invoked;
  readonly persona: Persona;
  /** The persona that dispatches it; null: the phase does. */
  readonly by: string | null;
  /** Further sources that must name a path before this persona may write it. */
  readonly writeGrants: readonly Grant[];
}

/** role-permissions persona by persona, mode-dispatch for the phase. Grants go to the capability layer, which holds them against every write. */
export function planDispatch(state: CycleState, facts: JsonObject): DispatchPlan {
  const policies = [...state.cycle.policies, ...state.phase.policies];
  const permissions = policies.filter(({ kind }) => kind === "role-permissions");
  const decisions: PolicyDecision[] = [];
  const admitted: Admitted[] = [];
  const refused: DispatchPlan["refused"][number][] = [];
  for (const { invoked, persona, by } of everyone(state.phase.agents)) {
    const about = personaFacts(persona);
    const said = permissions.map((policy) =>
      decide(policy, withParameters(policy, facts, { persona: about }), {
        subject: persona.id,
        applies: ({ personas }) => personas === null || personas.includes(persona.id),
      }),
    );
    decisions.push(...said);
    const inForce = said.filter(({ policy }) => !policy.shadow);
    const denial = inForce.find(({ decision }) => decision === "deny");
    if (denial)
      refused.push({
        persona: persona.id,
        optional: invoked.optional,
        reason: `${denial.policy.id} denies ${persona.id}: ${denial.reason}`,
      });
    else
      admitted.push({ invoked, persona, by, writeGrants: [...ownGrants(state, persona), ...inForce.flatMap(grantOf)] });
  }
  const mode = dispatchMode(policies, state, facts);
  return {
    decisions: [...mode.decisions, ...decisions],
    admitted,
    refused,
    denied: mode.denied,
    artifacts: mode.artifacts,
  };
}

/** What role-permissions say to a fix of a finding: it is written as a worker writes, and only where all of them allow it. */
export function permitFix(
  state: CycleState,
  facts: JsonObject,
  file: string,
): {
  readonly decisions: readonly PolicyDecision[];
  readonly denied: string | null;
  readonly grants: readonly Grant[];
} {
  const about = { id: fixer, role: "worker", kind: "worker", tools: ["fs.write"], write_paths: [file] };
  const decisions = [...state.cycle.policies, ...state.phase.policies]
    .filter(({ kind }) => kind === "role-permissions")
    .map((policy) =>
      decide(policy, withParameters(policy, facts, { persona: about }), {
        subject: fixer,
        applies: ({ personas }) => personas === null || personas.includes(fixer),
      }),
    );
  const inForce = decisions.filter(({ policy }) => !policy.shadow);
  const denial = inForce.find(({ decision }) => decision === "deny");
  return {
    decisions,
    denied: denial ? `${denial.policy.id} denies ${fixer}: ${denial.reason}` : null,
    grants: inForce.flatMap(grantOf),
  };
}

/** Under this name policies are asked about fixes that the cycle itself applies. */
export const fixer = "workflow-fixer";

/** A phase's personas with those whom they dispatch, deepest first; each once. */
function everyone(
  agents: readonly Invoked[],
): readonly { readonly invoked: Invoked; readonly persona: Persona; readonly by: string | null }[] {
  const seen = new Map<string, { readonly invoked: Invoked; readonly persona: Persona; readonly by: string | null }>();
  const add = (invoked: Invoked, persona: Persona, by: string | null): void => {
    for (const below of persona.dispatches) add(invoked, below, persona.id);
    if (!seen.has(persona.id)) seen.set(persona.id, { invoked, persona, by });
  };
  for (const invoked of agents) add(invoked, invoked.persona, null);
  return [...seen.values()];
}

/** A persona writes where its own definition says, and in a mode that only reports nowhere. */
function ownGrants({ mode }: CycleState, persona: Persona): readonly Grant[] {
  const { data, file } = persona.definition;
  return [
    { source: `persona ${persona.id} (write-paths, ${file})`, patterns: data["write-paths"] ?? [] },
    ...(mode === "report-only" ? [{ source: "the mode report-only", patterns: [] }] : []),
  ];
}

function grantOf({ policy, rule, decision }: PolicyDecision): readonly Grant[] {
  const matched = rule === null ? undefined : policy.rules[rule];
  const source = `policy ${policy.id} (${policy.definition.file}:${matched?.line ?? 1})`;
  // Advice is no permission: whoever is only advised to be there writes nothing.
  if (decision === "advisory") return [{ source, patterns: [] }];
  return matched?.writePaths ? [{ source, patterns: matched.writePaths }] : [];
}

function dispatchMode(
  policies: readonly Policy[],
  state: CycleState,
  facts: JsonObject,
): Pick<DispatchPlan, "decisions" | "denied" | "artifacts"> {
  const decisions = policies
    .filter(({ kind }) => kind === "mode-dispatch")
    .map((policy) =>
      decide(policy, withParameters(policy, facts), {
        subject: state.mode,
        applies: ({ mode }) => mode === null || mode === state.mode,
      }),
    );
  const inForce = decisions.filter(({ policy }) => !policy.shadow);
  const denial = inForce.find(({ decision }) => decision === "deny");
  const delivered = inForce.flatMap(({ policy, rule }) => {
    const artifacts = rule === null ? null : policy.rules[rule]?.artifacts;
    return artifacts ? [artifacts] : [];
  });
  return {
    decisions,
    denied: denial ? `${denial.policy.id} denies the mode ${state.mode}: ${denial.reason}` : null,
    // Several lists leave what all of them deliver.
    artifacts: delivered.length === 0 ? null : delivered.reduce((all, next) => all.filter((id) => next.includes(id))),
  };
}

function personaFacts({ id, definition }: Persona): JsonObject {
  const { role, kind } = definition.role;
  return { id, role, kind, tools: definition.tools, write_paths: definition.data["write-paths"] ?? [] };
}
