import { policyKinds } from "../policies/policy-kinds.ts";
import type { PolicyKind } from "./cycle.ts";

/** Where an expression stands decides what it may read: a cycle's entry, a signal, or a rule of a policy of this kind. */
export type ExpressionPlace = "entry" | "signal" | PolicyKind;

const atEntry = new Set(["input", "mode", "cycle", "budget", "context", "provenance"]);

/** The names that an expression may hold there at all; undefined: those of a cycle. What is asked about calls knows no cycle. */
export function namesAt(place: ExpressionPlace): ReadonlySet<string> | undefined {
  if (place === "entry" || place === "signal" || policyKinds[place].asked !== "value") return undefined;
  const { known } = policyKinds[place].variables;
  return known === "any" ? undefined : known;
}

/** Why a variable cannot be read there; undefined when it can. */
export function whyUnknown(name: string, place: ExpressionPlace): string | undefined {
  switch (place) {
    case "entry":
      return atEntry.has(name) ? undefined : `${name} is not known before the first phase`;
    case "signal":
      return name === "parameters" || ownersOf(name).length > 0
        ? `${name} is known to the rules of policies alone`
        : undefined;
    default:
      return whyUnknownToRule(name, place);
  }
}

function whyUnknownToRule(name: string, kind: PolicyKind): string | undefined {
  const { known } = policyKinds[kind].variables;
  if (known !== "any") return known.has(name) ? undefined : `${name} is not known before the personas are asked`;
  const owners = ownersOf(name);
  return owners.length === 0 || owners.includes(kind) ? undefined : `${name} is known to ${owners.join(" and ")} alone`;
}

/** The kinds that alone can read a variable; none: it belongs to all. */
function ownersOf(name: string): readonly PolicyKind[] {
  return Object.values(policyKinds)
    .filter(({ variables }) => variables.own.includes(name))
    .map(({ kind }) => kind);
}
