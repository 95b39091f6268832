import type { WorkOrder } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type SessionId, sha256 } from "#core/values";
import { toolNames } from "#governance/mandate";
import type { ExecutionContext, FlowResult } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, HandedDown, ParentFlow } from "../flow/flow.ts";
import { isStopped } from "../flow/is-stopped.ts";
import type { Did } from "../flow/watch-session.ts";
import type { SubTask } from "../strategies/step-strategy.ts";
import { createSubOrder } from "./create-sub-order.ts";

/** Runs tasks as child orders of HO1 concurrently and waits for all. Orders are made first: if one is refused, none starts. */
export async function startChildren(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
  tasks: readonly SubTask[],
): Promise<Result<readonly FlowResult[]>> {
  const depth = (state.parent?.depth ?? 0) + 1;
  const before = state.handedDown.count;
  const handed = context.mandate.decide({ kind: "delegate", depth, count: tasks.length, before });
  if (!handed.allowed) return err(domainError("GATE_DENIED", handed.reason));
  const drafts: WorkOrder[] = [];
  for (const task of tasks) {
    const draft = createSubOrder(deps, context, task, context.work_order.work_order_id);
    if (!draft.ok) return draft;
    drafts.push(draft.value);
  }
  state.handedDown.count += tasks.length;
  // Numbered once none is refused: a resumed flow gives the recorded numbers out in their order.
  const orders: WorkOrder[] = [];
  for (const draft of drafts) {
    const id = await deps.nextOrderId();
    if (!id.ok) return id;
    orders.push({ ...draft, work_order_id: id.value });
  }
  const children = await announce(deps, state, context, orders);
  if (!children.ok) return children;
  const did = new Map<string, Did>();
  const parent: ParentFlow = {
    session_id: context.session_id,
    budget: context.budget_scope,
    depth,
    mandate: context.mandate,
    charges: context.charges,
    interrupt: state.interrupt,
    report: (work_order_id, done) => did.set(work_order_id, heldBy(deps, context.session_id, done)),
    ancestors: [...(state.parent?.ancestors ?? []), context.session_id],
  };
  const results = await Promise.all(children.value.map((child) => runChild(state, context, child, parent)));
  const answered: FlowResult[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    answered.push(result.value);
  }
  const stopped = answered.find(isStopped);
  if (stopped) return err(stillOpen(stopped));
  return recordEnds(state, answered, did);
}

/** Records each order with its reserved session before it runs, so that a process that resumes this flow finds it. */
async function announce(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
  orders: readonly WorkOrder[],
): Promise<Result<readonly HandedDown[]>> {
  const children: HandedDown[] = [];
  for (const order of orders) {
    const { work_order_id } = order;
    const promised = deps.ids.sessionId();
    const recorded = await state.session.append({
      type: "delegation.made",
      actor: "flow",
      payload: {
        child_work_order_id: work_order_id,
        child_session_id: promised,
        parent_work_order_id: context.work_order.work_order_id,
        budget: order.budget ?? {},
        tools: [...toolNames(order)],
        allowed_files: [...(order.scope.allowed_files ?? [])],
      },
    });
    if (!recorded.ok) return recorded;
    state.children.push(work_order_id);
    const session_id = (recorded.value.payload.child_session_id ?? promised) as SessionId;
    children.push({ order, work_order_id, session_id });
  }
  return ok(children);
}

async function runChild(
  state: FlowState,
  context: ExecutionContext,
  child: HandedDown,
  parent: ParentFlow,
): Promise<Result<FlowResult>> {
  const { signal } = state;
  const before = state.resumeChild ? await state.resumeChild(child, { parent, signal }) : ok(child);
  if (!before.ok) return before;
  if ("status" in before.value) return ok(before.value);
  const { session_id } = before.value;
  const request = {
    work_order: { ...child.order },
    caller_id: context.agent_id,
    ...(context.dev_mode ? { dev_mode: true } : {}),
  };
  return ok(await state.run(request, { fresh: true, parent, signal, ...(session_id ? { session_id } : {}) }));
}

/** What was landed elsewhere does not wait with this order: a fork gives the answers of orders whose files have long landed. */
function heldBy({ landing }: FlowDependencies, session_id: string, { landing_id, ...did }: Did): Did {
  return landing_id !== undefined && landing.holds(session_id, landing_id) ? { ...did, landing_id } : did;
}

/** A child without an outcome: no result is recorded for it. The parent stops open too, and both are resumed together. */
function stillOpen({ session_id, error, error_code, status }: FlowResult): DomainError {
  const known = error_code === "HALTED" || error_code === "INTERRUPTED" ? error_code : "REPLAY_DIVERGED";
  const code = status === "waiting" ? "EFFECT_IN_DOUBT" : known;
  return domainError(code, `the order handed down to ${session_id} has not ended: ${error ?? status}`, {
    details: { child_session_id: session_id },
  });
}

function recordEnds(
  state: FlowState,
  results: readonly FlowResult[],
  did: ReadonlyMap<string, Did>,
): Result<readonly FlowResult[]> {
  for (const result of results) {
    const done = did.get(result.work_order_id ?? "");
    const recorded = state.session.stage({
      type: "delegation.ended",
      actor: "flow",
      payload: {
        child_work_order_id: result.work_order_id ?? "unknown",
        child_session_id: result.session_id ?? null,
        status: result.status,
        error_code: result.error_code ?? null,
        ...(result.tokens_used ? { tokens_used: result.tokens_used } : {}),
        ...(result.usd === undefined ? {} : { usd: result.usd }),
        ...(result.unpriced_models ? { unpriced_models: result.unpriced_models } : {}),
        ...(result.refused_acts?.length ? { refused_acts: result.refused_acts } : {}),
        ...(done === undefined ? {} : { did: done }),
        ...(result.response === null ? {} : { response_hash: sha256(result.response) }),
      },
    });
    if (!recorded.ok) return recorded;
  }
  return ok(results);
}
