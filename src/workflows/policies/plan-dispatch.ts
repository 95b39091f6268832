import type { JsonObject } from "#core/values";
import type { Grant } from "#governance";
import type { Invoked, Persona, Policy } from "../definitions/cycle.ts";
import type { CycleState } from "../run/state.ts";
import type { PolicyDecision } from "./decision.ts";
import { type AskingPersona, personaFacts } from "./policy-kind.ts";
import { policiesAsked } from "./policy-kinds.ts";

/** Who may be asked in a phase, what each may write, and what may be delivered: decided before a persona is asked. */
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

/** The policies on personas, persona by persona, and those on the mode. */
export function planDispatch(state: CycleState, facts: JsonObject): DispatchPlan {
  const decisions: PolicyDecision[] = [];
  const admitted: Admitted[] = [];
  const refused: DispatchPlan["refused"][number][] = [];
  for (const { invoked, persona, by } of everyone(state.phase.agents)) {
    const permission = permit(state, facts, { id: persona.id, facts: personaFacts(persona) });
    decisions.push(...permission.decisions);
    if (permission.denied !== null)
      refused.push({ persona: persona.id, optional: invoked.optional, reason: permission.denied });
    else admitted.push({ invoked, persona, by, writeGrants: [...ownGrants(state, persona), ...permission.grants] });
  }
  const mode = dispatchMode(state, facts);
  return {
    decisions: [...mode.decisions, ...decisions],
    admitted,
    refused,
    denied: mode.denied,
    artifacts: mode.artifacts,
  };
}

/** What the policies on personas say to one of them. */
interface Permission {
  readonly decisions: readonly PolicyDecision[];
  readonly denied: string | null;
  readonly grants: readonly Grant[];
}

/** The permission to fix a finding: a fix is written as a worker writes, and only where all policies in force allow it. */
export function permitFix(state: CycleState, facts: JsonObject, file: string): Permission {
  const about = { id: fixer, role: "worker", kind: "worker", tools: ["fs.write"], write_paths: [file] };
  return permit(state, facts, { id: fixer, facts: about });
}

function permit(state: CycleState, facts: JsonObject, persona: AskingPersona): Permission {
  const said = policiesAsked(policiesOf(state), "persona").map(({ policy, spec }) => ({
    spec,
    decision: spec.judge(policy, persona, facts),
  }));
  const inForce = said.filter(({ decision }) => !decision.policy.shadow);
  return {
    decisions: said.map(({ decision }) => decision),
    denied: firstText(inForce.map(({ spec, decision }) => spec.denial(decision))),
    grants: inForce.flatMap(({ spec, decision }) => spec.grants(decision)),
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

function dispatchMode(state: CycleState, facts: JsonObject): Pick<DispatchPlan, "decisions" | "denied" | "artifacts"> {
  const said = policiesAsked(policiesOf(state), "mode").map(({ policy, spec }) => ({
    spec,
    decision: spec.judge(policy, state.mode, facts),
  }));
  const inForce = said.filter(({ decision }) => !decision.policy.shadow);
  const delivered = inForce
    .map(({ spec, decision }) => spec.artifacts(decision))
    .filter((artifacts) => artifacts !== null);
  return {
    decisions: said.map(({ decision }) => decision),
    denied: firstText(inForce.map(({ spec, decision }) => spec.denial(decision))),
    // Several lists leave what all of them deliver.
    artifacts: delivered.length === 0 ? null : delivered.reduce((all, next) => all.filter((id) => next.includes(id))),
  };
}

function policiesOf({ cycle, phase }: CycleState): readonly Policy[] {
  return [...cycle.policies, ...phase.policies];
}

function firstText(texts: readonly (string | null)[]): string | null {
  return texts.find((text) => text !== null) ?? null;
}
