import type { PromptContractV1 } from "#core/contracts";
import { canonicalJson, isoTime, ok, type Result, sha256 } from "#core/values";
import { CallCharges, chargeRecorded } from "#effects";
import { toolNames } from "#governance/mandate";
import type { EventInput } from "#log";
import type { SealedEntry } from "#log/redaction";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import { type CompiledMandate, recordedMandate } from "../flow/order-mandate.ts";
import type { FileEvidence } from "../orders/declared-inputs.ts";
import type { ResolvedAgent } from "./2-resolve-framework.ts";
import type { AllocatedBudget } from "./3-allocate-budget.ts";

/** What was decided before the agent is announced. */
interface Prepared {
  readonly budget: AllocatedBudget;
  readonly compiled: CompiledMandate;
  readonly contracts: readonly PromptContractV1[];
}

/** Step 4. The agent instance, announced: on disk no later than the event that announces its first effect. */
export async function createContext(
  deps: FlowDependencies,
  state: FlowState & { readonly inputs: readonly FileEvidence[]; readonly sealed: readonly SealedEntry[] },
  agent: ResolvedAgent,
  { budget, compiled, contracts }: Prepared,
): Promise<Result<ExecutionContext>> {
  const { order, session } = state;
  const context = {
    agent_id: agent.agent_id,
    agent_class: agent.agent_class,
    framework_id: order.framework_id,
    tier: agent.tier,
    prompt_contracts: contracts,
    // A session from before instructions were given goes on without them: its prompts are recorded.
    instructions: state.recordedStart ? (state.recordedStart.instructions ?? []) : agent.framework.instructions,
    budget_scope: budget.scope,
    budget_limits: budget.limits,
    path_authorizations: agent.framework.manifest.path_authorizations ?? [],
    tool_permissions: toolNames(order),
    session_id: session.session_id,
    created_at: isoTime(deps.clock.now()),
    caller_id: state.request.caller_id,
    dev_mode: state.request.dev_mode === true,
  };
  const start: EventInput<"wo.started"> = {
    type: "wo.started",
    actor: "flow",
    payload: {
      agent_id: context.agent_id,
      agent_class: context.agent_class,
      framework_id: context.framework_id,
      tier: context.tier,
      session_id: context.session_id,
      created_at: context.created_at,
      caller_id: context.caller_id,
      dev_mode: context.dev_mode,
      prompt_contracts: context.prompt_contracts.map((contract) => contract.contract_id),
      ...(context.instructions.length === 0 ? {} : { instructions: [...context.instructions] }),
      budget_scope: { ...budget.scope, ...budget.limits },
      path_authorizations: [...context.path_authorizations],
      tool_permissions: [...context.tool_permissions],
      work_order_id: order.work_order_id,
      work_order: order,
      work_order_hash: sha256(canonicalJson(order)),
      mandate: compiled.mandate.document,
      mandate_hash: compiled.mandate.hash,
      ...(state.sealed.length > 0 ? { sealed: [...state.sealed] } : {}),
      ...(state.inputs.length > 0 ? { declared_inputs: [...state.inputs] } : {}),
    },
  };
  // On disk before the caller learns that the order was accepted: an accepted order is carried out even if this process dies.
  // To a caller who learns of it only by its result it announces nothing: it is on disk with the first call.
  const isAnnounced = state.isFollowed || deps.sharesBudget;
  const started = isAnnounced ? await session.append(start) : session.stage(start);
  if (!started.ok) return started;
  // What redaction took out of the record is gone for later processes: this one goes on as they would.
  const recorded = recordedMandate(deps, compiled, started.value.payload);
  if (!recorded.ok) return recorded;
  const mandate = recorded.value;
  const charges = new CallCharges(state.parent?.charges);
  for (const { invoke, level } of state.callsBelow) chargeRecorded(invoke, { mandate, charges }, level);
  return ok({ ...context, work_order: order, mandate, charges });
}
