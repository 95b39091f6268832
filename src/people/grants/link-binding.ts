import type { WorkOrder } from "#core/contracts";
import { canonicalJson, type Sha256, sha256 } from "#core/values";
import { covers } from "../identity/covers.ts";
import { type AskedBudget, type Need, programNeeds, reachNeeds } from "../identity/order-needs.ts";
import type { Link } from "./link.ts";

/** The order that a chain is presented for. */
export interface AskedOrder {
  /** As it was submitted: hooks and redaction may have changed what acts. */
  readonly order: WorkOrder;
  readonly budget: AskedBudget;
  /** The configuration's budget for orders that name none. */
  readonly defaultBudget: AskedBudget;
}

/** Names an order in a link. Its chain would hold the hash itself, and a server may add the idempotency key of the request. */
export function hashOfOrder(order: object): Sha256 {
  const { authorization: _, idempotency_key: __, ...named } = order as Record<string, unknown>;
  return sha256(canonicalJson(named));
}

/** Identifies a link where its uses are counted. The signature is left out: it can be written in more than one way. */
export function hashOfLink({ signature: _, ...body }: Link): Sha256 {
  return sha256(canonicalJson(body));
}

/**
 * Why a link is not good for an order; undefined when it is. A link names the order by its hash, or a range in which the
 * order lies. An older one that names only the order's id signed neither paths nor money: it is good for an order that
 * asks for no path and for no more than the configuration's own budget. One that names nothing would be good for any order.
 */
export function whyNotFor(link: Link, asked: AskedOrder, isOwn: boolean): string | undefined {
  const { order } = asked;
  if (link.work_order_id !== undefined && link.work_order_id !== order.work_order_id)
    return `was granted for ${link.work_order_id}, not for ${order.work_order_id}`;
  if (link.order_hash !== undefined && link.order_hash !== hashOfOrder(order))
    return `names another order by its hash: ${order.work_order_id} is not the order that was signed, or was changed since`;
  if (link.range !== undefined) {
    const signed = rightsOfRange(link.range);
    return whyBeyond(signed, asked, `its range names ${signed.join(", ")}`);
  }
  if (link.order_hash !== undefined || isOwn) return undefined;
  if (link.work_order_id === undefined)
    return "names neither an order (order_hash) nor a range, so it would be good for any order; it has to be granted anew (writ flow grant)";
  const { token_limit, usd_limit } = asked.defaultBudget;
  const signed = ["tool:*", `tokens:${token_limit}`, `usd:${usd_limit ?? "*"}`];
  return whyBeyond(
    signed,
    asked,
    "it names the order by its id alone, which grants no path and only the default budget",
  );
}

function rightsOfRange({ tools, files, read_files = [], hosts = [], usd, tokens }: NonNullable<Link["range"]>) {
  const each = (kind: string, list: readonly string[]) => list.map((name) => `${kind}:${name}`);
  return [
    ...each("tool", tools),
    ...each("path", files),
    ...each("read", read_files),
    ...each("host", hosts),
    `usd:${usd}`,
    `tokens:${tokens}`,
  ];
}

function whyBeyond(signed: readonly string[], { order, budget }: AskedOrder, words: string): string | undefined {
  const tools = (order.tool_permissions ?? []).map((each) => (typeof each === "string" ? each : each.tool));
  const needs: readonly Need[] = [
    ...tools.map((tool) => ({ right: `tool:${tool}`, because: "its tool_permissions name it" })),
    ...programNeeds(order),
    ...reachNeeds(order, budget),
  ];
  const beyond = needs.find(({ right }) => !covers(signed, right));
  return beyond && `does not reach as far as ${order.work_order_id}: "${beyond.right}" (${beyond.because}); ${words}`;
}
