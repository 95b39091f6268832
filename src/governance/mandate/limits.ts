import type { MandateV1 } from "#core/contracts";
import { type Act, type Clause, clauseText, type Decision, type SpentThing } from "./act.ts";

type Limit = Clause & { readonly value: number };

/** The limit on what an order uses; undefined where there is none, which money alone may have. */
function limitOn({ limits }: Pick<MandateV1, "limits">, what: SpentThing): Limit | undefined {
  const all: Readonly<Record<SpentThing, Limit | undefined>> = {
    tokens: limits.token_limit,
    calls: limits.turn_limit,
    seconds: limits.timeout_seconds,
    usd: limits.usd_limit,
  };
  return all[what];
}

export function decideSpending(document: MandateV1, { what, total }: Extract<Act, { kind: "spend" }>): Decision {
  const limit = limitOn(document, what);
  if (limit === undefined) return { allowed: true, clauses: [], reason: `no document limits its ${what}` };
  const clause = { document: limit.document, path: limit.path };
  const allowed = total <= limit.value;
  const most = `${clauseText(clause)} allows ${limit.value} ${what}`;
  return { allowed, clauses: [clause], reason: allowed ? most : `${most}, not ${total}` };
}

/**
 * The workspace's limits count levels from the first order and orders at once; an order's own limits count the levels below it
 * and all that it hands down.
 */
export function decideDelegation(
  { delegation: { max_depth, max_children, max_in_all } }: MandateV1,
  { depth, count, before }: Extract<Act, { kind: "delegate" }>,
): Decision {
  const clauses = [max_depth, max_children, ...(max_in_all ? [max_in_all] : [])].map(({ document, path }) => ({
    document,
    path,
  }));
  const levels = max_depth.document === "writ.yaml" ? depth : 1;
  if (levels > max_depth.value)
    return {
      allowed: false,
      clauses: clauses.slice(0, 1),
      reason: `delegation is ${levels} deep, at most ${max_depth.value} is allowed (${clauseText(max_depth)})`,
    };
  if (count > max_children.value)
    return {
      allowed: false,
      clauses: clauses.slice(1, 2),
      reason: `${count} tasks at once, at most ${max_children.value} are allowed (${clauseText(max_children)})`,
    };
  if (max_in_all !== undefined && before + count > max_in_all.value)
    return {
      allowed: false,
      clauses: clauses.slice(2),
      reason: `${before + count} orders handed down in all, at most ${max_in_all.value} are allowed (${clauseText(max_in_all)})`,
    };
  return { allowed: true, clauses, reason: clauses.map(clauseText).join(" ∩ ") };
}

/** An order is answered by the profile that it names, or by the workspace's own. */
export function decideProfile({ work_order_id, profile }: MandateV1, asked: string | undefined): Decision {
  const clause = { document: `work order ${work_order_id}`, path: "profile" };
  const allowed = (profile ?? undefined) === asked;
  return {
    allowed,
    clauses: [clause],
    reason: `${clauseText(clause)} names ${profile ?? "the workspace's own profile"}${allowed ? "" : `, not ${asked ?? "the workspace's own"}`}`,
  };
}
