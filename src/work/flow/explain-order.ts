import type { BudgetLimits } from "#agents";
import type { MandateV1 } from "#core/contracts";
import { ok, type Result } from "#core/values";
import { clauseText } from "#governance/mandate";
import { type Authorization } from "#people";
import { validateWorkOrder } from "../steps/1-validate-work-order.ts";
import { checkSpec, resolveFramework } from "../steps/2-resolve-framework.ts";
import { orderToWeigh } from "./authorize-flow.ts";
import { chooseContracts, ownContract } from "./choose-contracts.ts";
import type { FlowDependencies, FlowRequest } from "./flow.ts";
import { mandateOf } from "./order-mandate.ts";

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
}

/** Runs the deciding steps and stops before the first effect: it opens no session, calls no model and records nothing. */
export async function explainOrder(
  deps: FlowDependencies,
  request: FlowRequest,
  knownTools: readonly string[],
  weigh: FlowDependencies["authorize"],
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
  const contracts = chooseContracts(deps, { order, prompt, recordedStart: undefined }, agent.value);
  if (!contracts.ok) return contracts;
  const contract = ownContract(order, contracts.value);
  const compiled = await mandateOf(deps, order, prompt, {
    agent: agent.value,
    contract,
    bounds: authorization.value.bounds,
  });
  if (!compiled.ok) return compiled;
  const { mandate, skill } = compiled.value;
  const { limits } = mandate.document;
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
  });
}
