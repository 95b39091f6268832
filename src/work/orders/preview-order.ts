import type { AssembledContext, Conversation } from "#agents";
import type { PromptContractV1, WorkOrder } from "#core/contracts";
import type { DomainError } from "#core/errors";
import { err, isoTime, ok, type Result } from "#core/values";
import { CallCharges } from "#effects";
import { toolNames } from "#governance/mandate";
import { forgetfulRecorder } from "#log";
import { contractOfRole, hasHouseRules } from "../flow/choose-contracts.ts";
import type { ChosenStrategy } from "../flow/choose-strategy.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies } from "../flow/flow.ts";
import { type CompiledMandate, skillsWithin } from "../flow/order-mandate.ts";
import type { ResolvedAgent } from "../steps/2-resolve-framework.ts";
import { limitsOf } from "../steps/3-allocate-budget.ts";
import { assembleContext } from "../steps/5-assemble-context.ts";
import { environmentLine, instructionsOf } from "../steps/6-run-strategy.ts";
import { stepMessages } from "../strategies/run-steps.ts";
import { stepStrategyOf } from "../strategies/step-strategy-of.ts";

/** What an agent would be sent first. */
export interface PromptPreview {
  readonly role: string;
  readonly contract_id: string | null;
  readonly messages: readonly Pick<Conversation["messages"][number], "role" | "content">[];
}

export interface OrderPreview {
  /** What attention would give to read; null where it fails, and why. */
  readonly context: ContextPreview | null;
  /** Empty for an order that asks no model, and for a cycle, whose personas ask in turn. */
  readonly prompts: readonly PromptPreview[];
  /** What could not be shown, or would fail. */
  readonly problems: readonly string[];
}

interface ContextPreview {
  readonly template_id: string | null;
  readonly outcome: AssembledContext["outcome"];
  readonly context_hash: string;
  readonly tokens: number;
  readonly fragments: readonly { readonly origin: string; readonly trust: string; readonly hash: string }[];
  readonly text: string;
  readonly warnings: readonly string[];
}

interface Explained {
  readonly order: WorkOrder;
  readonly prompt: string;
  readonly caller_id: string;
  readonly agent: ResolvedAgent;
  readonly contracts: readonly PromptContractV1[];
  readonly compiled: CompiledMandate;
  readonly chosen: ChosenStrategy;
}

/** Types of orders that ask no model. */
const silent: readonly string[] = ["tool-call", "turn"];

/** Reads what the order's agents would read and renders what they would be sent, as redacted as a model would get it. */
export async function previewOrder(deps: FlowDependencies, explained: Explained): Promise<OrderPreview> {
  if (silent.includes(explained.chosen.strategy)) return { context: null, prompts: [], problems: [] };
  const session = forgetfulRecorder(deps);
  const context = contextOf(deps, explained, session.session_id);
  const state = { prompt: explained.prompt, session, signal: AbortSignal.timeout(readingMs) };
  const rules = hasHouseRules(explained.chosen.strategy) ? await deps.houseRules.find(context) : ok(null);
  if (!rules.ok) return { context: null, prompts: [], problems: [failing("its house rules", rules.error)] };
  const assembled = await assembleContext(deps, { ...state, isPreview: true, rules: rules.value }, context);
  if (!assembled.ok) return { context: null, prompts: [], problems: [failing("its context", assembled.error)] };
  const { template_id, outcome, context_hash, tokens, fragments, text, warnings } = assembled.value;
  const shown = {
    template_id,
    outcome,
    context_hash,
    tokens,
    fragments: fragments.map(({ origin, trust, hash }) => ({ origin, trust, hash })),
    text: deps.redact(text),
    warnings,
  };
  const prompts = await promptsOf(deps, explained, { context, background: text, rules: rules.value?.text ?? "" });
  return prompts.ok
    ? { context: shown, prompts: prompts.value, problems: [] }
    : { context: shown, prompts: [], problems: [failing("its first prompt", prompts.error)] };
}

/** Templates have limits of their own; a custom stage of an embedding program may have none. */
const readingMs = 30_000;

function failing(what: string, { code, message }: DomainError): string {
  return `${what} fails with ${code}: ${message}`;
}

/** The agent as step 4 would create it, for a preview without a session. */
function contextOf(deps: FlowDependencies, explained: Explained, session_id: string): ExecutionContext {
  const { order, agent, contracts, compiled, caller_id } = explained;
  const { agent_id, agent_class, tier, framework } = agent;
  return {
    agent_id,
    agent_class,
    framework_id: order.framework_id,
    tier,
    work_order: order,
    prompt_contracts: contracts,
    instructions: framework.instructions,
    budget_scope: { session_id, work_order_id: order.work_order_id, agent_id },
    budget_limits: limitsOf(compiled.mandate.document.limits),
    path_authorizations: framework.manifest.path_authorizations ?? [],
    tool_permissions: toolNames(order),
    mandate: compiled.mandate,
    charges: new CallCharges(),
    session_id,
    created_at: isoTime(deps.clock.now()),
    caller_id,
    dev_mode: false,
  };
}

interface Rendering {
  readonly context: ExecutionContext;
  readonly background: string;
  readonly rules: string;
}

async function promptsOf(
  deps: FlowDependencies,
  explained: Explained,
  rendering: Rendering,
): Promise<Result<readonly PromptPreview[]>> {
  const { strategy } = explained.chosen;
  if (strategy === "cycle") return ok([]);
  const preview =
    strategy === "solo" || strategy === "plan-work-review"
      ? await rolePrompt(deps, explained, rendering)
      : stepPrompt(deps, explained, rendering);
  if (!preview.ok) return preview;
  if (preview.value === null) return ok([]);
  const { messages, ...about } = preview.value;
  return ok([{ ...about, messages: messages.map(({ role, content }) => ({ role, content: deps.redact(content) })) }]);
}

/** Of the agent that works alone, or of the lead of those that work together. */
async function rolePrompt(
  deps: FlowDependencies,
  { order, prompt, agent, contracts, compiled, chosen: { strategy } }: Explained,
  { context, background, rules }: Rendering,
): Promise<Result<PromptPreview>> {
  const role = strategy === "solo" ? "solo" : "lead";
  const instructions = await deps.rolePrompt(role);
  if (!instructions.ok) return instructions;
  const discovered = await deps.skills.discover();
  if (!discovered.ok) return discovered;
  const skills = skillsWithin(compiled.mandate, discovered.value.skills);
  const agents = {
    prompt,
    input: order.input ?? {},
    instructions: instructionsOf(context, rules),
    contractOf: contractOfRole(contracts, { order: { ...order, type: strategy }, agent }),
    skill: compiled.skill.selected ?? null,
    background,
    tools: deps.toolOffers((tool) => compiled.mandate.decide({ kind: "tool", tool }).allowed),
    limits: deps.config.agents,
    schemas: deps.schemas,
    ...(role === "solo" ? {} : { brief: { ...order, skills } }),
  };
  const { openingMessages } = await import("../../agents/roles/ask.ts");
  const { skillsFor } = await import("../../agents/roles/plan-work-review.ts");
  const { soloOpening } = await import("../../agents/roles/solo.ts");
  const task = {
    skills,
    notes: [environmentLine(context, context.created_at.slice(0, 10))],
    output_schema: order.io_schema?.output_schema,
  };
  const opening =
    role === "solo"
      ? soloOpening(agents, task, instructions.value)
      : openingMessages(agents, {
          role,
          instructions: instructions.value,
          handoff: { request: prompt },
          ...skillsFor(agents),
        });
  return opening.ok ? ok({ role, ...opening.value }) : opening;
}

/** The first prompt of a conversation, or of a strategy's first step; a strategy that begins otherwise asks nothing yet. */
function stepPrompt(
  deps: FlowDependencies,
  { order, prompt, chosen, agent }: Explained,
  { context, background }: Rendering,
): Result<PromptPreview | null> {
  const [contract] = context.prompt_contracts;
  if (!contract) return ok(null);
  const strategy = stepStrategyOf(deps, chosen.strategy, agent.framework);
  if (!strategy.ok) return strategy;
  const action = strategy.value.nextStep(context, [], deps.config.decompose);
  if (action.type === "fail") return err(action.error);
  if (action.type !== "send_prompt") return ok(null);
  const agents = { background, input: order.input ?? {}, prompt, instructions: instructionsOf(context) };
  const rendered = stepMessages(agents, contract, action.prompt);
  if (!rendered.ok) return rendered;
  const [instructions, request] = rendered.value;
  return ok({ role: "worker", contract_id: contract.contract_id, messages: [...instructions, request] });
}
