import { domainError, type ErrorCode, errorCodes, ok, type Result, type SessionId } from "#base";
import type { Event, SessionLog } from "#events";
import type { FlowResult } from "../execution-context.ts";
import type { FlowDependencies } from "../flow.ts";
import type { FlowStatus } from "../flow-status.ts";
import { returnResult } from "../steps/9-return-result.ts";

/**
 * Closes a session that stopped at its edges: before its order began to act, so that there is nothing to go on with, or
 * after its outcome was recorded, so that there is nothing left to do.
 */
export async function concludeSession(
  deps: FlowDependencies,
  session: SessionLog,
  events: readonly Event[],
  ended: EndOfOrder | undefined,
): Promise<Result<FlowResult>> {
  const outcome = ended ? outcomeOf(ended) : neverBegan();
  const { error } = outcome;
  const closed = await session.close({
    ok: outcome.status === "success",
    status: outcome.status,
    ...(error ? { reason: `${error.code}: ${error.message}` } : {}),
  });
  return closed.ok ? keepOutcome(deps, session.session_id, events, ended) : closed;
}

/** Keeps the result that the record tells, for everybody who asks for the order again. */
export async function keepOutcome(
  deps: Pick<FlowDependencies, "orders">,
  session_id: SessionId,
  events: readonly Event[],
  ended: EndOfOrder | undefined,
): Promise<Result<FlowResult>> {
  const { work_order_id } = (events[0] as Event<"session.start">).payload;
  const outcome = ended ? outcomeOf(ended) : neverBegan();
  const { error } = outcome;
  const result = returnResult(
    { work_order_id, agent_id: outcome.agent_id, session_id },
    {
      status: outcome.status,
      error: error && domainError(knownCode(error.code), error.message),
      strategy: outcome.output === null ? null : { response: outcome.output, verdict: outcome.verdict, error: null },
      acceptance: null,
      context_hash: null,
      tokens: outcome.tokens,
      duration_ms: outcome.duration_ms,
    },
    { ledger_entry_ids: [], usd: spentUsd(events), children: [] },
  );
  const kept = await (ended ? deps.orders.finish(work_order_id, result) : deps.orders.forget(work_order_id));
  return kept.ok ? ok(result) : kept;
}

export type EndOfOrder = Event<"wo.completed" | "wo.failed" | "wo.rejected">;

/** How the order ended, as the record has it. */
export function endOfOrder(events: readonly Event[]): EndOfOrder | undefined {
  return events.find(
    (event): event is EndOfOrder =>
      event.type === "wo.completed" || event.type === "wo.failed" || event.type === "wo.rejected",
  );
}

interface RecordedOutcome {
  readonly status: FlowStatus;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly agent_id: string | null;
  readonly output: string | null;
  readonly verdict: string | null;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly duration_ms: number;
}

const nothing = { agent_id: null, output: null, verdict: null, tokens: null, duration_ms: 0 };

function neverBegan(): RecordedOutcome {
  const message = "the session stopped before its work order began to act; nothing was done: submit the order again";
  return { ...nothing, status: "failure", error: { code: "INTERRUPTED", message } };
}

function outcomeOf(ended: EndOfOrder): RecordedOutcome {
  if (ended.type === "wo.rejected") {
    const { error } = ended.payload as Event<"wo.rejected">["payload"];
    return { ...nothing, status: "rejected", error };
  }
  const payload = ended.payload as Event<"wo.completed">["payload"];
  const { status, error } = payload.outcome as { status: FlowStatus; error: RecordedOutcome["error"] };
  return {
    status,
    error: error ?? null,
    agent_id: (payload.provenance as { agent_id: string }).agent_id,
    output: payload.output ?? null,
    verdict: payload.verdict ?? null,
    tokens: payload.tokens_used as RecordedOutcome["tokens"],
    duration_ms: payload.duration_ms,
  };
}

function spentUsd(events: readonly Event[]): number {
  return events
    .filter((event): event is Event<"llm.response"> => event.type === "llm.response")
    .reduce((sum, { payload }) => sum + (payload.usage.cost_usd ?? 0), 0);
}

function knownCode(code: string): ErrorCode {
  return Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : "INTERNAL";
}
