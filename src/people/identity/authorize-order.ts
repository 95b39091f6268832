import type { WorkOrder } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { type Caller, type Clock, err, isoTime, ok, type Result } from "#core/values";
import { type CountedLink, checkChain } from "../grants/check-chain.ts";
import { boundsOfGrants, type GrantedBound } from "../grants/granted-bounds.ts";
import { isBounded, spellOut } from "./bound-kinds.ts";
import { type IdentityConfig, localCaller } from "./caller.ts";
import { covers } from "./covers.ts";
import { intersectGrants } from "./intersect-grants.ts";
import { type AskedBudget, type Need, orderNeeds, programNeeds, reachNeeds } from "./order-needs.ts";

export interface Authorization {
  /** In words: by whose grants. */
  readonly by: string;
  readonly needs: readonly (Need & { readonly granted: boolean })[];
  /** Links of the order's chain of which it takes a use before it acts. */
  readonly counted: readonly CountedLink[];
  /** What the grants bound, for the order's mandate. */
  readonly bounds: readonly GrantedBound[];
}

export interface AuthorizationContext {
  readonly identity: IdentityConfig;
  readonly clock: Clock;
  /** The configuration's budget for orders that name none. */
  readonly defaultBudget: AskedBudget;
}

/** An order on its way to act. */
export interface OrderToWeigh {
  readonly order: WorkOrder;
  /** The same order as it was submitted, before hooks and redaction; undefined for one that began before and is resumed. */
  readonly submitted: WorkOrder | undefined;
  readonly agent_class: string;
  /** The limits that it runs with. */
  readonly budget: AskedBudget;
}

/** Which of an order's needs its caller's grants cover: their own, or those that the order's authorization chain hands to them. */
export function weighOrder(asked: OrderToWeigh, caller: Caller, context: AuthorizationContext): Result<Authorization> {
  const { order, submitted, agent_class, budget } = asked;
  const held = grantsFor(asked, caller, context);
  if (!held.ok) return held;
  const { by, counted } = held.value;
  const grants = spellOut(held.value.grants);
  const reach = reachNeeds(order, budget).filter(({ right }) => isBounded(held.value.grants, right));
  const needs = [...orderNeeds(order, agent_class), ...programNeeds(order), ...reach];
  return ok({
    by,
    counted,
    bounds: boundsOfGrants(order, caller.id, held.value.grants),
    needs: needs.map(({ right, because, effect }) => {
      if (!covers(grants, right)) return { right, because, granted: false };
      const isReal =
        effect === undefined || submitted === undefined || !caller.effects || covers(caller.effects.tools, effect);
      return { right, because, granted: isReal, ...(isReal ? {} : { effect }) };
    }),
  });
}

interface HeldGrants extends Pick<Authorization, "by" | "counted"> {
  readonly grants: readonly string[];
}

function grantsFor(
  { order, submitted, budget }: OrderToWeigh,
  caller: Caller,
  { identity, clock, defaultBudget }: AuthorizationContext,
): Result<HeldGrants> {
  if (!order.authorization || caller.authenticatedBy === "dev")
    return ok({
      grants: caller.grants,
      by: `the roles of ${caller.id} (${caller.roles.join(", ") || "none"})`,
      counted: [],
    });
  const { callers } = identity;
  const chained = checkChain(order.authorization.chain, {
    callerId: caller.id,
    rootGrants: (id) => {
      const root = id === caller.id ? ok(caller) : Object.hasOwn(callers, id) ? localCaller(id, identity) : undefined;
      return root?.ok ? root.value.grants : undefined;
    },
    keysOf: (id) => (Object.hasOwn(callers, id) ? callers[id]?.public_keys : undefined) ?? {},
    nowIso: isoTime(clock.now()),
    asked: submitted ? { order: submitted, budget, defaultBudget } : null,
  });
  if (!chained.ok) return chained;
  const { grants, counted } = chained.value;
  const within = caller.key?.scope;
  return ok({
    grants: within == null ? grants : intersectGrants(grants, within),
    by: `the order's authorization chain, which begins with ${order.authorization.chain[0]?.from}`,
    counted,
  });
}

/** Whether an order may act: every need is covered, or the first that is not is named with the way out. */
export function authorizeOrder(
  asked: OrderToWeigh,
  caller: Caller,
  context: AuthorizationContext,
): Result<Authorization> {
  const weighed = weighOrder(asked, caller, context);
  if (!weighed.ok) return weighed;
  const missing = weighed.value.needs.find((need) => !need.granted);
  return missing ? err(notGranted(asked.order, caller, weighed.value.by, missing)) : weighed;
}

function notGranted({ work_order_id }: WorkOrder, { id, effects }: Caller, by: string, missing: Need): DomainError {
  if (missing.effect !== undefined && effects)
    return domainError(
      "NOT_AUTHORIZED",
      `${work_order_id} is submitted in development mode, which runs no real effect: ${effects.setting} in writ.yaml does not name "${missing.effect}" (${missing.because})`,
      { details: { caller: id, right: missing.right, hint: "submit it as yourself, without --dev" } },
    );
  return domainError(
    "NOT_AUTHORIZED",
    `${id} may not submit ${work_order_id}: ${by} do not grant "${missing.right}" (${missing.because})`,
    {
      details: {
        caller: id,
        right: missing.right,
        hint: `take it out of the order, or give ${id} a role that grants it (identity in writ.yaml)`,
      },
    },
  );
}
