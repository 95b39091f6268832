import { type DomainError, domainError, type ErrorCode, errorCodes } from "#core/errors";
import { type Event, startOf } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { StrategyOutcome } from "../flow/flow.ts";
import type { FlowStatus } from "../flow/flow-status.ts";
import { moneyOf, type OrderCost } from "../flow/order-cost.ts";
import { RefusedActs } from "../flow/refused-acts.ts";
import { effectsOf, watchSession } from "../flow/watch-session.ts";
import { returnResult } from "../steps/9-return-result.ts";

export type EndOfOrder = Event<"wo.completed" | "wo.failed" | "wo.rejected">;

/** The event that says what came of a session's order, if it got so far. */
export function endOfOrder(events: readonly Event[]): EndOfOrder | undefined {
  return events.find(
    (event): event is EndOfOrder =>
      event.type === "wo.completed" || event.type === "wo.failed" || event.type === "wo.rejected",
  );
}

/** The result of a flow as its record tells it. Without an ending the order never began to act. */
export function resultOfRecord(
  session_id: string,
  events: readonly Event[],
  ended: EndOfOrder | undefined,
): FlowResult {
  const { work_order_id } = startOf(events);
  const outcome = ended ? outcomeOf(ended) : neverBegan();
  const { tally } = watchSession({}, events);
  return returnResult(
    { work_order_id, agent_id: outcome.agent_id, session_id },
    {
      status: outcome.status,
      error: outcome.error,
      strategy:
        outcome.output === null
          ? null
          : { response: outcome.output, verdict: outcome.verdict, error: null, ...undoneOf(ended) },
      acceptance: null,
      context_hash: null,
      cost: { usd: spentUsd(events), ...outcome.cost },
      duration_ms: outcome.duration_ms,
    },
    {
      ledger_entry_ids: [],
      children: [],
      refused_acts: refusedActsOf(events),
      did: effectsOf(tally),
      values_off: tally.valuesOff,
    },
  );
}

function undoneOf(ended: EndOfOrder | undefined): Pick<StrategyOutcome, "undone"> {
  const undone = ended?.type === "wo.failed" ? ended.payload.undone : undefined;
  return undone ? { undone } : {};
}

interface RecordedOutcome {
  readonly status: FlowStatus;
  readonly error: DomainError | null;
  readonly agent_id: string | null;
  readonly output: string | null;
  readonly verdict: string | null;
  /** Older records have no sum of money. */
  readonly cost: Omit<OrderCost, "usd"> & Partial<Pick<OrderCost, "usd">>;
  readonly duration_ms: number;
}

const nothing = { agent_id: null, output: null, verdict: null, cost: { tokens: null }, duration_ms: 0 };

function neverBegan(): RecordedOutcome {
  const message = "the session stopped before its work order began to act; nothing was done: submit the order again";
  return { ...nothing, status: "failure", error: domainError("INTERRUPTED", message) };
}

function outcomeOf(ended: EndOfOrder): RecordedOutcome {
  if (ended.type === "wo.rejected") {
    const { error } = ended.payload;
    return { ...nothing, status: "rejected", error: errorOf(error) };
  }
  const payload = ended.payload;
  const { status, error } = payload.outcome as { status: FlowStatus; error?: RecordedError | null };
  return {
    status,
    error: error ? errorOf(error) : null,
    agent_id: (payload.provenance as { agent_id: string }).agent_id,
    output: payload.output ?? null,
    verdict: payload.verdict ?? null,
    cost: {
      tokens: payload.tokens_used as OrderCost["tokens"],
      ...(payload.usd === undefined ? {} : moneyOf({ ...payload, tokens: null, usd: payload.usd })),
    },
    duration_ms: payload.duration_ms,
  };
}

interface RecordedError {
  readonly code: string;
  readonly message: string;
}

function errorOf({ code, message }: RecordedError): DomainError {
  return domainError(Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : "INTERNAL", message);
}

function refusedActsOf(events: readonly Event[]): RefusedActs["list"] {
  const acts = new RefusedActs();
  for (const event of events) acts.see(event);
  return acts.list;
}

function spentUsd(events: readonly Event[]): number {
  return events
    .filter((event) => event.type === "llm.response")
    .reduce((sum, { payload }) => sum + (payload.usage.cost_usd ?? 0), 0);
}
