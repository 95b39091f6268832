import type { AgentContext } from "#agents";
import { type PromptContractV1, validateAgainst } from "#core/contracts";
import { domainError } from "#core/errors";
import { fillParameters } from "#core/expressions";
import { err, ok, type Result } from "#core/values";
import { type Framework, matchContract, renderContract } from "#governance";
import { foreignType } from "../foreign/foreign-session.ts";
import { programType } from "../model-calls/serve-model-calls.ts";
import type { ResolvedAgent } from "../steps/2-resolve-framework.ts";
import { findWritten } from "../strategies/step-strategy-of.ts";
import type { FlowDependencies, FlowState } from "./flow.ts";

/** Types of orders that no contract speaks for: they call no model, or a program speaks in its own words. */
export const silentTypes: readonly string[] = ["tool-call", "turn", programType, foreignType];
/** Types that one agent carries out. */
export const soloTypes: readonly string[] = ["solo", "reviewed-solo"];
/** Types whose agents are roles. */
const roleTypes: readonly string[] = ["plan-work-review", "cycle"];

/** Whether the agents of an order have the rules of the workspace in their instructions: a single prompt is sent as its contract has it. */
export function hasHouseRules(type: string): boolean {
  return soloTypes.includes(type) || roleTypes.includes(type);
}

/**
 * The prompt contracts that an order's agents speak under: one for a conversation of its own, in a flow of roles one for
 * each role that has one. The input is held against each of them before anything is spent.
 */
export function chooseContracts(
  deps: Pick<FlowDependencies, "schemas" | "strategies">,
  state: Pick<FlowState, "order" | "prompt" | "recordedStart">,
  agent: ResolvedAgent,
): Result<readonly PromptContractV1[]> {
  const { order } = state;
  const recorded = state.recordedStart?.prompt_contracts;
  const { contracts } = agent.framework;
  // A resumed session goes on under the contracts that its record names, in the record's order.
  if (recorded) return ok(recorded.flatMap((id) => contracts.filter(({ contract_id }) => contract_id === id)));
  const isRegistered = Object.hasOwn(deps.strategies, order.type);
  const written = isRegistered ? ok(undefined) : findWritten(agent.framework, order.type);
  const isWritten = written.ok ? checkParameters(written.value, state) : written;
  if (!isWritten.ok) return isWritten;
  const chosen = silentTypes.includes(order.type) ? ok([]) : matching(order, agent);
  if (!chosen.ok) return chosen;
  // A strategy asks in its own words, so its order needs no prompt.
  const prompt = isRegistered || isWritten.value ? "asked by the strategy" : state.prompt;
  for (const contract of chosen.value) {
    const fits = checkInput(deps, contract, order.input);
    if (!fits.ok) return fits;
    const rendered = renderContract(contract, { input: order.input, prompt, background: "" });
    if (!rendered.ok) return rendered;
  }
  return chosen;
}

/** Whether a strategy of the framework is followed; each field that any of its prompts asks for has to be there beforehand. */
function checkParameters(
  strategy: Framework["strategies"][number] | undefined,
  { order }: Pick<FlowState, "order">,
): Result<boolean> {
  if (strategy === undefined) return ok(false);
  const text = strategy.parameters.map((name) => `{{${name}}}`).join(" ");
  const filled = fillParameters(text, order.input ?? {}, `the strategy ${strategy.document.strategy_id}`);
  return filled.ok ? ok(true) : filled;
}

function matching(order: FlowState["order"], agent: ResolvedAgent): Result<readonly PromptContractV1[]> {
  const { contracts } = agent.framework;
  const about = aboutOf(order, agent);
  if (soloTypes.includes(order.type)) {
    const matched = matchContract(
      contracts.filter((contract) => !agent.framework.isShipped || speaksForSolo(contract, order)),
      {
        ...about,
        role: "solo",
        contract_id: order.prompt_contract_id,
      },
    );
    return matched.ok ? ok(matched.value ? [matched.value] : []) : matched;
  }
  if (!roleTypes.includes(order.type)) {
    const matched = matchContract(contracts, { ...about, role: "worker", contract_id: order.prompt_contract_id });
    return matched.ok ? ok(matched.value ? [matched.value] : []) : matched;
  }
  const found = new Set<PromptContractV1>();
  for (const role of new Set(contracts.flatMap(({ applies_to }) => applies_to?.roles ?? []))) {
    const matched = matchContract(contracts, { ...about, role, inRoles: true });
    if (!matched.ok) return matched;
    if (matched.value) found.add(matched.value);
  }
  return ok([...found]);
}

/** Under a framework of Writ's own one agent gets the person's words as they are, unless a contract is meant for just that. */
function speaksForSolo({ contract_id, applies_to }: PromptContractV1, order: FlowState["order"]): boolean {
  const { types = [], roles = [] } = applies_to ?? {};
  return contract_id === order.prompt_contract_id || types.includes("solo") || roles.includes("solo");
}

function aboutOf({ framework_id, type }: FlowState["order"], { agent_class, tier }: ResolvedAgent) {
  return { framework_id, type, agent_class, tier };
}

function checkInput(
  { schemas }: Pick<FlowDependencies, "schemas">,
  { input_schema, contract_id }: PromptContractV1,
  input: FlowState["order"]["input"],
): Result<void> {
  if (input_schema === undefined) return ok(undefined);
  const fits = validateAgainst(schemas, input_schema, `${contract_id}.input_schema`, input);
  if (fits.ok) return ok(undefined);
  return err(
    domainError(
      "WORK_ORDER_INVALID",
      `the order's input is not what its prompt contract ${contract_id} takes: ${fits.error.message}`,
      { details: fits.error.details },
    ),
  );
}

/** The contract of an order that is one conversation. In a flow of roles each speaks under its own, and none is the order's. */
export function ownContract(
  { type }: FlowState["order"],
  chosen: readonly PromptContractV1[],
): PromptContractV1 | undefined {
  return roleTypes.includes(type) ? undefined : chosen[0];
}

/** The contract of a role in a flow of roles, among those that were chosen. */
export function contractOfRole(
  chosen: readonly PromptContractV1[],
  { order, agent }: { readonly order: FlowState["order"]; readonly agent: ResolvedAgent },
): NonNullable<AgentContext["contractOf"]> {
  if (soloTypes.includes(order.type)) return (role) => (role === "solo" ? chosen[0] : undefined);
  if (!roleTypes.includes(order.type)) return () => undefined;
  return (role) => {
    const matched = matchContract(chosen, { ...aboutOf(order, agent), role, inRoles: true });
    return matched.ok ? matched.value : undefined;
  };
}
