import { type AgentContext, Conversation, converse, type Message, stripCodeFence } from "#agents";
import { type PromptContractV1, validateAgainst } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isJsonObject, ok, type Result } from "#core/values";
import { type ApertureManager, createAperture } from "../flow/aperture.ts";
import type { ExecutionContext, FlowResult } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";
import { assembleContext } from "../steps/5-assemble-context.ts";
import type { StepResult, StepStrategy, SubTask } from "./step-strategy.ts";

export interface StepsRun {
  readonly deps: FlowDependencies;
  readonly state: FlowState;
  readonly context: ExecutionContext;
  readonly agents: AgentContext;
  readonly strategy: StepStrategy;
  /** Starts agents of the tier below and waits for all of them. */
  readonly delegate: (tasks: readonly SubTask[]) => Promise<Result<readonly FlowResult[]>>;
}

/** Carries out a strategy step by step, within the budget and the bound on steps. */
export async function runSteps(run: StepsRun): Promise<Result<StrategyOutcome>> {
  const history: StepResult[] = [];
  const { deps, context, strategy } = run;
  const [contract] = context.prompt_contracts;
  if (!contract) return err(noContract(context));
  const aperture = createAperture(deps.config.v2_features.aperture_enabled, deps.config.aperture);
  const conversation = new Conversation(run.agents.ids.sortable("CNV"));
  let { agents } = run;
  for (;;) {
    const action = strategy.nextStep(context, history);
    if (action.type === "complete")
      return ok({ response: action.response ?? lastResponse(history), verdict: null, error: null });
    if (history.length >= deps.config.agents.max_steps)
      return err(
        domainError(
          "GATE_DENIED",
          `the strategy of "${context.work_order.type}" wants more than ${deps.config.agents.max_steps} steps (limits.plan_steps)`,
        ),
      );
    const narrowed = await narrow(run, aperture, history.length);
    if (!narrowed.ok) return narrowed;
    if (narrowed.value !== null) agents = { ...agents, ...narrowed.value };
    if (action.type === "delegate") {
      const results = await run.delegate(action.tasks);
      if (!results.ok) return results;
      history.push({ type: "delegate", results: results.value });
      continue;
    }
    const said = await sendPrompt(agents, { context, contract, conversation }, action.prompt);
    if (!said.ok) return said;
    history.push({ type: "send_prompt", response: said.value });
    run.state.recovery.partial = [...run.state.recovery.partial, said.value];
  }
}

/** Moves the aperture on where a rule says so; a narrower one chooses another attention template, so the context is assembled anew. */
async function narrow(
  run: StepsRun,
  aperture: ApertureManager,
  stepCount: number,
): Promise<Result<{ readonly background: string; readonly contextHash: string } | null>> {
  const { deps, state, context } = run;
  const status = await deps.budgeter.status(context.budget_scope);
  if (!status.ok) return status;
  const { limits, spent, moved_to_children } = status.value;
  const remaining =
    (limits.token_limit - spent.input_tokens - spent.output_tokens - moved_to_children.tokens) / limits.token_limit;
  const to = aperture.shouldTransition(stepCount, remaining);
  if (to === null) return ok(null);
  const recorded = state.session.stage({
    type: "aperture.changed",
    actor: "flow",
    payload: { from: aperture.state, to, step_count: stepCount, budget_remaining: remaining },
  });
  if (!recorded.ok) return recorded;
  aperture.transition(to);
  const assembled = await assembleContext(deps, state, context, aperture.state);
  return assembled.ok ? ok({ background: assembled.value.text, contextHash: assembled.value.context_hash }) : assembled;
}

/** Who speaks, under which contract, and what was said so far. */
interface Dialogue {
  readonly context: ExecutionContext;
  readonly contract: PromptContractV1;
  readonly conversation: Conversation;
}

/** One prompt and its response. Tools may be called on the way, within the turn limit. */
async function sendPrompt(
  agents: AgentContext,
  { context, contract, conversation }: Dialogue,
  prompt: string | undefined,
): Promise<Result<string>> {
  const fits = checkInput(agents, context, contract);
  if (!fits.ok) return fits;
  const first =
    conversation.messages.length === 0 && contract.system !== undefined
      ? [{ role: "system" as const, content: contract.system }]
      : [];
  const { contract_id } = contract;
  const speaker = { role: "worker", agent_id: context.agent_id, conversation, contract_id, usesTools: true };
  const content = render(contract.template, context, {
    background: agents.background,
    prompt: prompt ?? agents.prompt,
  });
  let messages: readonly Message[] = [...first, { role: "user", content }];
  for (let attempt = 0; ; attempt++) {
    const said = await converse(agents, speaker, messages);
    if (!said.ok) return said;
    const { text, problem } = said.value;
    if (!problem) return ok(contract.output_schema === undefined ? text : stripCodeFence(text));
    if (attempt >= agents.limits.max_repairs)
      return err(
        domainError(
          "MALFORMED_AGENT_MESSAGE",
          `the model answered ${attempt + 1} times with something that is not ${problem.schema_id} (${contract_id}): ${problem.message}`,
          { details: { schema_id: problem.schema_id, contract_id } },
        ),
      );
    const repair = { problem: `your last message is not valid ${problem.schema_id}`, violation: problem.message };
    messages = [{ role: "user", content: JSON.stringify({ ...repair, answer_with: "JSON only" }) }];
  }
}

function checkInput(agents: AgentContext, context: ExecutionContext, contract: PromptContractV1): Result<unknown> {
  const { input_schema, contract_id } = contract;
  if (input_schema === undefined) return ok(undefined);
  const fits = validateAgainst(agents.schemas, input_schema, `${contract_id}.input_schema`, context.work_order.input);
  if (fits.ok) return fits;
  return err(
    domainError(
      "WORK_ORDER_INVALID",
      `the order's input is not what its prompt contract ${contract_id} takes: ${fits.error.message}`,
      { details: fits.error.details },
    ),
  );
}

/** `{{name}}` becomes a field of the order's input, `{{input}}` all of it, `{{context}}` what attention assembled. */
function render(
  template: string,
  context: ExecutionContext,
  given: { readonly background: string; readonly prompt: string },
): string {
  const input = isJsonObject(context.work_order.input) ? context.work_order.input : {};
  const filled = template.replaceAll(/\{\{\s*([a-z_]+)\s*\}\}/g, (_, name: string) => {
    if (name === "context") return given.background;
    if (name === "prompt") return given.prompt;
    if (name === "input") return asBlock(input);
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  });
  return filled.trim();
}

/** JSON that stays in its block whatever it holds: a fence inside a string would have to stand at a line's beginning. */
function asBlock(input: object): string {
  return `\`\`\`json\n${JSON.stringify(input)}\n\`\`\``;
}

function lastResponse(history: readonly StepResult[]): string {
  const last = history.findLast((step) => step.type === "send_prompt");
  return last?.type === "send_prompt" ? last.response : "";
}

function noContract({ framework_id, agent_class, tier, work_order }: ExecutionContext) {
  return domainError(
    "NOT_AUTHORIZED",
    `no prompt contract of ${framework_id} covers ${agent_class} on ${tier} for orders of type "${work_order.type}"`,
    { details: { framework_id, agent_class } },
  );
}
