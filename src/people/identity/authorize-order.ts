import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Caller, type Clock, err, isoTime, ok, type Result } from "#core/values";
import { type IdentityConfig, localCaller } from "./caller.ts";
import { checkChain } from "./check-chain.ts";
import { covers } from "./covers.ts";
import { intersectGrants } from "./intersect-grants.ts";
import { type Need, orderNeeds, programNeeds } from "./order-needs.ts";

export interface Authorization {
  /** In words: by whose grants. */
  readonly by: string;
  readonly needs: readonly (Need & { readonly granted: boolean })[];
}

export interface AuthorizationContext {
  readonly identity: IdentityConfig;
  readonly clock: Clock;
}

/** Which of an order's needs its caller's grants cover: their own, or those that the order's authorization chain hands to them. */
export function weighOrder(
  order: WorkOrder,
  agent_class: string,
  caller: Caller,
  context: AuthorizationContext,
): Result<Authorization> {
  let grants = caller.grants;
  let by = `the roles of ${caller.id} (${caller.roles.join(", ") || "none"})`;
  if (order.authorization && caller.authenticatedBy !== "dev") {
    const { callers } = context.identity;
    const chained = checkChain(order.authorization.chain, {
      callerId: caller.id,
      rootGrants: (id) => {
        const root =
          id === caller.id ? ok(caller) : Object.hasOwn(callers, id) ? localCaller(id, context.identity) : undefined;
        return root?.ok ? root.value.grants : undefined;
      },
      keysOf: (id) => (Object.hasOwn(callers, id) ? callers[id]?.public_keys : undefined) ?? {},
      nowIso: isoTime(context.clock.now()),
    });
    if (!chained.ok) return chained;
    const within = caller.key?.scope;
    grants = within == null ? chained.value : intersectGrants(chained.value, within);
    by = `the order's authorization chain, which begins with ${order.authorization.chain[0]?.from}`;
  }
  return ok({
    by,
    needs: [...orderNeeds(order, agent_class), ...programNeeds(order)].map((need) => ({
      ...need,
      granted: covers(grants, need.right),
    })),
  });
}

/** Whether an order may act: every need is covered, or the first that is not is named with the way out. */
export function authorizeOrder(
  order: WorkOrder,
  agent_class: string,
  caller: Caller,
  context: AuthorizationContext,
): Result<Authorization> {
  const weighed = weighOrder(order, agent_class, caller, context);
  if (!weighed.ok) return weighed;
  const missing = weighed.value.needs.find((need) => !need.granted);
  if (!missing) return weighed;
  return err(
    domainError(
      "NOT_AUTHORIZED",
      `${caller.id} may not submit ${order.work_order_id}: ${weighed.value.by} do not grant "${missing.right}" (${missing.because})`,
      {
        details: {
          caller: caller.id,
          right: missing.right,
          hint: `give ${caller.id} a role that grants it (identity in writ.yaml), or take it out of the order`,
        },
      },
    ),
  );
}
