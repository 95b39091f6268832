import type { Cycle, Phase, Policy } from "../definitions/cycle.ts";

export interface Placement {
  readonly cycle: Cycle;
  /** Whether the cycle had a policy of this name, or gets it on top of its own. */
  readonly took: "its place" | "a new place";
}

/** The cycle as if the policy were in force: in the place of the one of its name, else behind the cycle's own. */
export function withPolicy(cycle: Cycle, policy: Policy): Placement {
  const candidate = { ...policy, shadow: false };
  const replace = (policies: readonly Policy[]): readonly Policy[] => {
    const at = policies.findIndex(({ id }) => id === policy.id);
    // A shadow of the same name that stood beside it is gone as well: it was the draft of this one.
    return at < 0 ? policies : policies.map((each, index) => (index === at ? candidate : each)).filter(isOther(policy));
  };
  const isOther = (one: Policy) => (each: Policy) => each === candidate || each.id !== one.id;
  const phases = cycle.phases.map((phase): Phase => ({ ...phase, policies: replace(phase.policies) }));
  const names = (policies: readonly Policy[]) => policies.some(({ id }) => id === policy.id);
  const known = names(cycle.policies) || cycle.phases.some((phase) => names(phase.policies));
  const policies = known ? replace(cycle.policies) : [...cycle.policies, candidate];
  const entry = phases.find(({ id }) => id === cycle.entry.id);
  if (!entry) throw new Error(`the cycle ${cycle.id} has lost its entry phase`);
  return { cycle: { ...cycle, phases, entry, policies }, took: known ? "its place" : "a new place" };
}
