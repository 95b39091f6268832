import { type AgentContext, Conversation, converse } from "#agents";
import type { PromptContractV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { renderContract } from "#governance";
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
    const action = strategy.nextStep(context, history, deps.config.decompose);
    if (action.type === "complete")
      return ok({
        response: action.response ?? lastResponse(history),
        verdict: null,
        error: action.without_failed_parts ? null : failedParts(history),
      });
    if (action.type === "fail") return err(action.error);
    if (history.length >= deps.config.agents.max_steps)
      return err(
        domainError(
          "GATE_DENIED",
          `the strategy of "${context.work_order.type}" wants more than ${deps.config.agents.max_steps} steps (limits.plan_steps)`,
        ),
      );
    if (action.type !== "delegate" && action.type !== "send_prompt") return err(unknownAction(context, action));
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
  const rendered = stepMessages(agents, contract, prompt);
  if (!rendered.ok) return rendered;
  const [system, request] = rendered.value;
  const first = conversation.messages.length === 0 ? system : [];
  const { contract_id } = contract;
  const speaker = { role: "worker", agent_id: context.agent_id, conversation, contract_id, usesTools: true };
  let messages: Conversation["messages"] = [...first, request];
  for (let attempt = 0; ; attempt++) {
    const said = await converse(agents, speaker, messages);
    if (!said.ok) return said;
    const { text, problem, read } = said.value;
    if (!problem) return ok(read ? spelled(text, read) : text);
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

/** JSON as the model spelled it, where nothing had to be overlooked to read it. */
function spelled(
  text: string,
  { value, steps }: { readonly value: unknown; readonly steps: readonly string[] },
): string {
  return steps.length === 0 ? text.trim() : JSON.stringify(value);
}

/** The instructions of a conversation, which stand at its beginning, and the request of one step. */
export function stepMessages(
  {
    background,
    input,
    prompt: asked,
    instructions,
  }: Pick<AgentContext, "background" | "input" | "prompt" | "instructions">,
  contract: PromptContractV1,
  prompt: string | undefined,
): Result<readonly [instructions: Conversation["messages"], request: Conversation["messages"][number]]> {
  const rendered = renderContract(contract, { background, input, prompt: prompt ?? asked });
  if (!rendered.ok) return rendered;
  const { system, content } = rendered.value;
  const parts = [...(system === undefined ? [] : [system]), ...(instructions ? [instructions] : [])];
  return ok([parts.length === 0 ? [] : [{ role: "system", content: parts.join("\n\n") }], { role: "user", content }]);
}

/** An order whose parts were not all done is not done. */
function failedParts(history: readonly StepResult[]): DomainError | null {
  const results = history.flatMap((step) => (step.type === "delegate" ? step.results : []));
  const failed = results.filter(({ status }) => status !== "success");
  if (failed.length === 0) return null;
  const why = failed.map(({ work_order_id, error }) => `${work_order_id}: ${error ?? "it says not why"}`);
  return domainError("PART_FAILED", `${failed.length} of ${results.length} parts failed: ${why.join("; ")}`, {
    details: { failed: failed.flatMap(({ work_order_id }) => work_order_id ?? []) },
  });
}

function lastResponse(history: readonly StepResult[]): string {
  const last = history.findLast((step) => step.type === "send_prompt");
  return last?.type === "send_prompt" ? last.response : "";
}

/** A strategy of an embedding program is checked by no compiler here. */
function unknownAction({ work_order }: ExecutionContext, action: never) {
  const { type } = action as { readonly type?: unknown };
  return domainError(
    "CONFIG_INVALID",
    `the strategy of "${work_order.type}" wants ${JSON.stringify(type ?? null)}, which is no action; there are send_prompt, delegate, complete and fail`,
  );
}

function noContract({ framework_id, agent_class, tier, work_order }: ExecutionContext) {
  return domainError(
    "NOT_AUTHORIZED",
    `no prompt contract of ${framework_id} covers ${agent_class} on ${tier} for orders of type "${work_order.type}"`,
    { details: { framework_id, agent_class } },
  );
}
