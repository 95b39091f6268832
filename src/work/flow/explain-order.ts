import type { BudgetLimits } from "#agents";
import type { MandateV1 } from "#core/contracts";
import { isSessionId, ok, type Result } from "#core/values";
import { clauseText, type OrderRights, readOrderRights } from "#governance/mandate";
import type { LogReader } from "#log";
import { type Authorization } from "#people";
import { type OrderPreview, previewOrder } from "../orders/preview-order.ts";
import type { OrderStore } from "../orders/store/order-store.ts";
import { validateWorkOrder } from "../steps/1-validate-work-order.ts";
import { checkSpec, resolveFramework } from "../steps/2-resolve-framework.ts";
import { orderToWeigh } from "./authorize-flow.ts";
import { checkStated } from "./check-stated.ts";
import type { FlowDependencies, FlowRequest } from "./flow.ts";
import { settleOrder } from "./settle-order.ts";

/** What an order would be allowed to do, and by which grants. */
export interface OrderExplanation {
  readonly work_order_id: string;
  readonly framework_id: string;
  readonly agent_class: string;
  readonly tier: string;
  readonly skill: { readonly id: string; readonly reason: string } | null;
  readonly budget: BudgetLimits;
  readonly authorization: Authorization;
  readonly tools: readonly { readonly tool: string; readonly allowed: boolean; readonly because: string }[];
  readonly paths: readonly { readonly source: string; readonly patterns: readonly string[] }[];
  /** Everything that it may do, by the clauses that grant and limit it. */
  readonly mandate: MandateV1;
  readonly mandate_hash: string;
  /** What its agents would be given to read and sent first. */
  readonly preview: OrderPreview;
  /** What the same order used of its rights when it ran; null where it has not. */
  readonly last_run: OrderRights | null;
}

/** What a workspace knows beyond the flow. */
export interface ExplainSources {
  readonly knownTools: readonly string[];
  readonly weigh: FlowDependencies["authorize"];
  readonly orders: Pick<OrderStore, "findOrder">;
  readonly log: Pick<LogReader, "read">;
}

/** Runs the deciding steps and stops before the first effect: it opens no session, calls no model and records nothing. */
export async function explainOrder(
  deps: FlowDependencies,
  request: FlowRequest,
  { knownTools, weigh, orders, log }: ExplainSources,
): Promise<Result<OrderExplanation>> {
  const valid = validateWorkOrder(deps, request);
  if (!valid.ok) return valid;
  const order = valid.value;
  const agent = await resolveFramework(deps, order);
  if (!agent.ok) return agent;
  const known = checkSpec(order, agent.value.framework);
  if (!known.ok) return known;
  const caller = deps.authenticate(request, undefined);
  if (!caller.ok) return caller;
  const authorization = weigh(caller.value, orderToWeigh(deps, order, agent.value, order));
  if (!authorization.ok) return authorization;
  const prompt = typeof order.input?.prompt === "string" ? order.input.prompt : "";
  const asked = { order, prompt, recordedStart: undefined, within: undefined, hookOf: undefined };
  const settled = await settleOrder(deps, asked, agent.value, authorization.value.bounds);
  if (!settled.ok) return settled;
  const stated = checkStated(deps, order, settled.value);
  if (!stated.ok) return stated;
  const { mandate, skill } = settled.value.compiled;
  const { limits } = mandate.document;
  const explained = { order, prompt, caller_id: request.caller_id, agent: agent.value };
  const preview = await previewOrder(deps, { ...explained, ...settled.value });
  const lastRun = await lastRunOf(order.work_order_id, orders, log);
  if (!lastRun.ok) return lastRun;
  return ok({
    work_order_id: order.work_order_id,
    framework_id: order.framework_id,
    agent_class: agent.value.agent_class,
    tier: agent.value.tier,
    skill: skill.selected ? { id: skill.selected.id, reason: skill.reason } : null,
    budget: {
      token_limit: limits.token_limit.value,
      turn_limit: limits.turn_limit.value,
      timeout_seconds: limits.timeout_seconds.value,
      ...(limits.usd_limit === undefined ? {} : { usd_limit: limits.usd_limit.value }),
    },
    authorization: authorization.value,
    tools: knownTools.map((tool) => {
      const { allowed, reason } = mandate.decide({ kind: "tool", tool });
      return { tool, allowed, because: reason };
    }),
    paths: mandate.document.write.flatMap(({ document, lists }) =>
      lists.map(({ path, patterns }) => ({ source: clauseText({ document, path }), patterns })),
    ),
    mandate: mandate.document,
    mandate_hash: mandate.hash,
    preview,
    last_run: lastRun.value,
  });
}

async function lastRunOf(
  work_order_id: string,
  orders: ExplainSources["orders"],
  log: ExplainSources["log"],
): Promise<Result<OrderRights | null>> {
  const found = await orders.findOrder(work_order_id);
  if (!found.ok) return found;
  const session_id = found.value?.session_id;
  if (session_id == null || !isSessionId(session_id)) return ok(null);
  const read = await readOrderRights(session_id, log);
  // The order was claimed, and its session has not begun or is no longer kept.
  return !read.ok && read.error.code === "NOT_FOUND" ? ok(null) : read;
}
