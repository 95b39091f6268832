import type { Policy } from "../../definitions/cycle.ts";
import type { PolicyKindSpec } from "../policy-kind.ts";

const known: ReadonlySet<string> = new Set(["act", "value", "sources", "person"]);

/**
 * Which values may go into which arguments of a call. A framework names such a policy in `values.pack`, no cycle does: its rules
 * are compiled into the mandate of an order and asked about each of its calls.
 */
export const valueRights: PolicyKindSpec<"value-rights"> = {
  kind: "value-rights",
  decisions: ["deny", "ask", "allow"],
  unasked: "ask",
  synonyms: {},
  variables: { own: ["act", "value"], known },
  asked: "value",
  packOf,
  simulate: "by itself",
  check: { isAskedIn: () => false, cases: () => [] },
  studio: { marks: { deny: "denied", ask: "waiting", allow: "done" } },
};

function packOf({
  id,
  definition,
  rules,
  default: otherwise,
}: Policy): ReturnType<PolicyKindSpec<"value-rights">["packOf"]> {
  return {
    id,
    file: definition.file,
    hash: definition.hash,
    otherwise: otherwise === "deny" ? "deny" : "ask",
    rules: rules.map(({ when, then, reason, each, line }) => ({
      ...(each === null ? {} : { each }),
      when: when.text,
      then: then === "allow" || then === "deny" ? then : "ask",
      reason,
      line,
    })),
  };
}
