import type { Grant } from "#governance";
import type { Cycle, Persona } from "../../definitions/cycle.ts";
import { decide, type PolicyDecision, withParameters } from "../decision.ts";
import { type PolicyKindSpec, personaFacts } from "../policy-kind.ts";

/** Which personas may be asked and where each may write. The capability layer checks every write against the grants. */
export const rolePermissions: PolicyKindSpec<"role-permissions"> = {
  kind: "role-permissions",
  decisions: ["deny", "advisory", "allow"],
  unasked: "allow",
  synonyms: {},
  variables: {
    own: ["persona"],
    known: new Set([
      "input",
      "mode",
      "cycle",
      "budget",
      "context",
      "provenance",
      "phase",
      "persona",
      "parameters",
      "outputs",
      "history",
      "approval",
    ]),
  },
  asked: "persona",
  judge: (policy, persona, facts) =>
    decide(policy, withParameters(policy, facts, { persona: persona.facts }), {
      subject: persona.id,
      applies: ({ personas }) => personas === null || personas.includes(persona.id),
    }),
  grants: grantsOf,
  denial: ({ policy, decision, subject, reason }) =>
    decision === "deny" ? `${policy.id} denies ${subject}: ${reason}` : null,
  simulate: "by itself",
  check: {
    isAskedIn: () => true,
    cases: (cycles) => personasOf(cycles).map((persona) => ({ persona: personaFacts(persona) })),
  },
  studio: { marks: { deny: "denied", advisory: "idle", allow: "done" } },
};

function grantsOf({ policy, rule, decision }: PolicyDecision): readonly Grant[] {
  const matched = rule === null ? undefined : policy.rules[rule];
  const source = `policy ${policy.id} (${policy.definition.file}:${matched?.line ?? 1})`;
  // Advice is no permission: a persona that is only advised to be there writes nothing.
  if (decision === "advisory") return [{ source, patterns: [] }];
  return matched?.writePaths ? [{ source, patterns: matched.writePaths }] : [];
}

function personasOf(cycles: readonly Cycle[]): readonly Persona[] {
  const all = new Map<string, Persona>();
  const add = (persona: Persona): void => {
    all.set(persona.id, persona);
    persona.dispatches.forEach(add);
  };
  for (const cycle of cycles) for (const phase of cycle.phases) for (const { persona } of phase.agents) add(persona);
  return [...all.values()];
}
