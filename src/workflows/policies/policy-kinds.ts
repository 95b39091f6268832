import type { Policy, PolicyKind } from "../definitions/cycle.ts";
import { confidenceGating } from "./kinds/confidence-gating.ts";
import { loopHalt } from "./kinds/loop-halt.ts";
import { modeDispatch } from "./kinds/mode-dispatch.ts";
import { rolePermissions } from "./kinds/role-permissions.ts";
import { severityRouting } from "./kinds/severity-routing.ts";
import { valueRights } from "./kinds/value-rights.ts";
import type { PolicyKindSpec } from "./policy-kind.ts";

/** The kinds of policies. Kinds that judge findings are asked in this order. */
export const policyKinds: { readonly [K in PolicyKind]: PolicyKindSpec<K> } = {
  "confidence-gating": confidenceGating,
  "severity-routing": severityRouting,
  "role-permissions": rolePermissions,
  "mode-dispatch": modeDispatch,
  "loop-halt": loopHalt,
  "value-rights": valueRights,
};

type AnyPolicyKind = (typeof policyKinds)[PolicyKind];
type Asked = AnyPolicyKind["asked"];
type KindAsked<A extends Asked> = Extract<AnyPolicyKind, { readonly asked: A }>;

/** The kinds that are asked about such a subject, in the order of the table. */
export function kindsAsked<A extends Asked>(asked: A): readonly KindAsked<A>[] {
  return Object.values(policyKinds).filter((spec): spec is KindAsked<A> => spec.asked === asked);
}

/** The policies that are asked about such a subject, in their own order, each with its kind. */
export function policiesAsked<A extends Asked>(
  policies: readonly Policy[],
  asked: A,
): readonly { readonly policy: Policy; readonly spec: KindAsked<A> }[] {
  return policies.flatMap((policy) =>
    kindsAsked(asked)
      .filter(({ kind }) => kind === policy.kind)
      .map((spec) => ({ policy, spec })),
  );
}
