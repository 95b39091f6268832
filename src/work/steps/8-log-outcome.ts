import type { EventPayloads } from "#core/contracts";
import { type DomainError } from "#core/errors";
import { type Result, sha256 } from "#core/values";
import type { Event, EventInput, SessionLog } from "#log";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, StrategyOutcome } from "../flow/flow.ts";
import type { FlowStatus } from "../flow/flow-status.ts";
import { moneyOf, type OrderCost } from "../flow/order-cost.ts";
import type { Acceptance } from "./7-check-acceptance.ts";

export interface Outcome {
  readonly status: FlowStatus;
  readonly error: DomainError | null;
  readonly strategy: StrategyOutcome | null;
  readonly acceptance: Acceptance | null;
  readonly context_hash: string | null;
  readonly cost: OrderCost;
  readonly duration_ms: number;
  /** Where the writes of an order wait that did not land. */
  readonly quarantine_id?: string | undefined;
}

/**
 * Step 8. How it ended, with everything an auditor asks for: who, under which order, judged by what, at what cost. On disk before
 * a shared budget gets back what is left, otherwise with `session.close`.
 */
export async function logOutcome(
  deps: Pick<FlowDependencies, "sharesBudget">,
  session: SessionLog,
  context: ExecutionContext,
  outcome: Outcome,
): Promise<Result<Event<"wo.completed" | "wo.failed">>> {
  const ended: EventInput<"wo.completed" | "wo.failed"> = {
    type: outcome.status === "success" ? "wo.completed" : "wo.failed",
    actor: "flow",
    payload: {
      work_order_id: context.work_order.work_order_id,
      provenance: {
        agent_id: context.agent_id,
        agent_class: context.agent_class,
        framework_id: context.framework_id,
        work_order_id: context.work_order.work_order_id,
        session_id: context.session_id,
      },
      outcome: {
        status: outcome.status,
        quality_signal: outcome.strategy?.verdict ?? null,
        error: outcome.error ? { code: outcome.error.code, message: outcome.error.message } : null,
        gate_results: [...(outcome.acceptance?.gate_results ?? [])],
      },
      context_fingerprint: { context_hash: outcome.context_hash },
      tokens_used: outcome.cost.tokens,
      ...moneyOf(outcome.cost),
      duration_ms: outcome.duration_ms,
      verdict: outcome.strategy?.verdict ?? null,
      output: outcome.strategy?.response ?? null,
      ...undoneOf(outcome),
      ...(outcome.strategy ? { response_hash: sha256(outcome.strategy.response) } : {}),
    },
  };
  return deps.sharesBudget ? session.append(ended) : session.stage(ended);
}

/** A partial result is read from the record by those who did not see it end: with what it left undone. */
function undoneOf({ status, strategy }: Outcome): Pick<EventPayloads["wo.failed"], "undone"> {
  if (status === "success" || !strategy?.undone) return {};
  return { undone: strategy.undone.map((each) => ({ ...each })) };
}
