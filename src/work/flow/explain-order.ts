import type { BudgetLimits } from "#agents";
import { matchSkill, selectSkill } from "#agents";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { decideRight, explainRight } from "#governance";
import { type Authorization } from "#people";
import { validateWorkOrder } from "../steps/1-validate-work-order.ts";
import { checkSpec, resolveFramework } from "../steps/2-resolve-framework.ts";
import { toolPermissions } from "../steps/4-create-context.ts";
import type { FlowDependencies, FlowRequest } from "./flow.ts";
import { grantsOfPaths, grantsOfTools } from "./grants.ts";

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
  const authorization = weigh(caller.value, order, agent.value.agent_class);
  if (!authorization.ok) return authorization;
  const discovered = await deps.skills.discover();
  if (!discovered.ok) return discovered;
  const prompt = typeof order.input?.prompt === "string" ? order.input.prompt : "";
  const match =
    order.skill === undefined
      ? ok(matchSkill(order.type === "plan-work-review" ? prompt : "", discovered.value.skills))
      : selectSkill(order.skill, discovered.value.skills);
  if (!match.ok) return err(domainError("WORK_ORDER_INVALID", match.error.message));
  const skill = match.value.selected ?? null;
  const { manifest } = agent.value.framework;
  const rights = {
    work_order: order,
    tool_permissions: toolPermissions(order),
    framework_id: order.framework_id,
    path_authorizations: manifest.path_authorizations ?? [],
  };
  const grants = grantsOfTools(rights, agent.value.framework, skill);
  return ok({
    work_order_id: order.work_order_id,
    framework_id: order.framework_id,
    agent_class: agent.value.agent_class,
    tier: agent.value.tier,
    skill: skill && { id: skill.id, reason: match.value.reason },
    budget: { ...deps.config.default_budget, ...manifest.default_budget, ...order.budget },
    authorization: authorization.value,
    tools: knownTools.map((tool) => ({
      tool,
      allowed: decideRight(tool, grants).allowed,
      because: explainRight(tool, grants),
    })),
    paths: grantsOfPaths(rights).map(({ source, patterns }) => ({ source, patterns: patterns ?? [] })),
  });
}
