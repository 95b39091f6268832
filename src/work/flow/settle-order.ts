import type { PromptContractV1 } from "#core/contracts";
import { ok, type Result } from "#core/values";
import { limitsOfOrder } from "#governance/mandate";
import type { Authorization } from "#people";
import { orderFacts } from "../acceptance/invariants.ts";
import type { ResolvedAgent } from "../steps/2-resolve-framework.ts";
import { limitsOf } from "../steps/3-allocate-budget.ts";
import { risksOf } from "../strategies/order-risks.ts";
import { chooseContracts, ownContract } from "./choose-contracts.ts";
import { type ChosenStrategy, chooseStrategy } from "./choose-strategy.ts";
import type { FlowDependencies, FlowState } from "./flow.ts";
import { type CompiledMandate, configFor, mandateOf, recordedMandate, skillOf } from "./order-mandate.ts";

/** What an order runs under: its strategy, the prompt contracts of its agents, and its mandate. */
export interface SettledOrder {
  readonly chosen: ChosenStrategy;
  readonly contracts: readonly PromptContractV1[];
  readonly compiled: CompiledMandate;
}

/** Decided once, in this order: the skill, then the strategy, then the contracts of its agents, then what the order may do. */
export async function settleOrder(
  deps: FlowDependencies,
  state: Pick<FlowState, "order" | "prompt" | "recordedStart" | "within" | "hookOf">,
  agent: ResolvedAgent,
  bounds: Authorization["bounds"],
): Promise<Result<SettledOrder>> {
  const skill = await skillOf(deps, state.order, state.hookOf === undefined ? state.prompt : "");
  if (!skill.ok) return skill;
  const { framework } = agent;
  const limits = limitsOf(limitsOfOrder({ order: state.order, framework, config: configFor(deps, state.order) }));
  const chosen = chooseStrategy({
    order: state.order,
    skill: skill.value.selected ?? null,
    framework,
    facts: orderFacts(state.order, limits),
    risks: risksOf(state.order, limits, deps.risks),
  });
  const working = { ...state.order, type: chosen.strategy };
  const contracts = chooseContracts(deps, { ...state, order: working }, agent);
  if (!contracts.ok) return contracts;
  const contract = ownContract(working, contracts.value);
  const compiled = await mandateOf(deps, state.order, {
    agent,
    contract,
    bounds,
    skill: skill.value,
    within: state.within,
    isOfHook: state.hookOf !== undefined,
    isRecorded: state.recordedStart !== undefined,
  });
  if (!compiled.ok) return compiled;
  const settled = { chosen, contracts: contracts.value };
  if (state.recordedStart === undefined) return ok({ ...settled, compiled: compiled.value });
  const recorded = recordedMandate(deps, compiled.value, state.recordedStart);
  return recorded.ok ? ok({ ...settled, compiled: { ...compiled.value, mandate: recorded.value } }) : recorded;
}
