import type { PolicyKind } from "../definitions/cycle.ts";
import { routes } from "../findings/finding.ts";

/** From what lets most pass to what lets least: what several decisions of one kind about one thing come to. */
const orders: Readonly<Record<PolicyKind, readonly string[]>> = {
  "confidence-gating": ["suppressed", "actionable", "deny"],
  "severity-routing": ["none", ...routes, "deny"],
  "role-permissions": ["allow", "advisory", "deny"],
  "mode-dispatch": ["allow", "advisory", "deny"],
  "loop-halt": ["continue", "halt"],
};

/** What is done when nobody is asked: a finding counts, and nothing is in the way. */
const unasked: Readonly<Record<PolicyKind, string>> = {
  "confidence-gating": "actionable",
  "severity-routing": "none",
  "role-permissions": "allow",
  "mode-dispatch": "allow",
  "loop-halt": "continue",
};

/** The conservative choice wins: what is done when policies of one kind said these things about one subject. */
export function effectOf(kind: PolicyKind, decisions: readonly string[]): string {
  if (decisions.length === 0) return unasked[kind];
  const order = orders[kind];
  const ranks = decisions.map((decision) => order.indexOf(inForce(kind, decision))).filter((rank) => rank >= 0);
  return order[Math.max(0, ...ranks)] ?? "deny";
}

/** Whether a change of what is done lets less pass, more, or neither. */
export function compareEffects(kind: PolicyKind, before: string, now: string): "same" | "stricter" | "looser" {
  const order = orders[kind];
  const step = order.indexOf(now) - order.indexOf(before);
  return step === 0 ? "same" : step > 0 ? "stricter" : "looser";
}

/** Words that say the same in one kind of policy. */
function inForce(kind: PolicyKind, decision: string): string {
  switch (kind) {
    case "confidence-gating":
      return decision === "allow" || decision === "advisory" ? "actionable" : decision;
    case "severity-routing":
      return decision === "allow" ? "none" : decision;
    case "loop-halt":
      return decision === "halt" || decision === "deny" ? "halt" : "continue";
    case "role-permissions":
    case "mode-dispatch":
      return decision;
  }
}
