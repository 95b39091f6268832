import type { PolicyKind } from "../definitions/cycle.ts";
import { policyKinds } from "./policy-kinds.ts";

/** The conservative choice wins: what is done when policies of one kind said these things about one subject. */
export function effectOf(kind: PolicyKind, decisions: readonly string[]): string {
  const { decisions: strictFirst, unasked } = policyKinds[kind];
  if (decisions.length === 0) return unasked;
  const meant = decisions.map((decision) => meaningOf(kind, decision));
  return strictFirst.find((decision) => meant.includes(decision)) ?? strictFirst.at(-1) ?? "deny";
}

/** Whether a change of what is done lets less pass, more, or neither. */
export function compareEffects(kind: PolicyKind, before: string, now: string): "same" | "stricter" | "looser" {
  const { decisions: strictFirst } = policyKinds[kind];
  const step = strictFirst.indexOf(now) - strictFirst.indexOf(before);
  return step === 0 ? "same" : step < 0 ? "stricter" : "looser";
}

/** The decision of its kind that an outcome of a rule means. */
export function meaningOf(kind: PolicyKind, decision: string): string {
  return policyKinds[kind].synonyms[decision] ?? decision;
}
