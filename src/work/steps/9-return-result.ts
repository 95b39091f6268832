import { violationsOf } from "#core/contracts";
import type { FlowResult } from "../flow/execution-context.ts";
import { moneyOf } from "../flow/order-cost.ts";
import type { RefusedAct } from "../flow/refused-acts.ts";
import type { Outcome } from "./8-log-outcome.ts";

/** Step 9. Always a result, never an exception. */
export function returnResult(
  ids: { readonly work_order_id: string; readonly agent_id: string | null; readonly session_id: string | null },
  outcome: Outcome,
  extra: {
    readonly ledger_entry_ids: readonly string[];
    readonly children: readonly string[];
    readonly refused_acts?: readonly RefusedAct[];
    readonly did?: FlowResult["did"];
    readonly values_off?: string | undefined;
  },
): FlowResult {
  const violations = outcome.error ? violationsOf(outcome.error) : [];
  return {
    status: outcome.status,
    work_order_id: ids.work_order_id,
    agent_id: ids.agent_id,
    response: outcome.strategy?.response ?? null,
    tokens_used: outcome.cost.tokens,
    validation_result: outcome.acceptance
      ? { passed: outcome.acceptance.passed, gate_results: [...outcome.acceptance.gate_results] }
      : null,
    ledger_entry_ids: [...extra.ledger_entry_ids],
    error: outcome.error?.message ?? null,
    error_code: outcome.error?.code ?? null,
    ...(violations.length > 0 ? { violations } : {}),
    duration_ms: outcome.duration_ms,
    session_id: ids.session_id,
    verdict: outcome.strategy?.verdict ?? null,
    ...moneyOf(outcome.cost),
    ...(outcome.strategy?.undone ? { undone: [...outcome.strategy.undone] } : {}),
    ...(extra.did ? { did: extra.did } : {}),
    ...(extra.values_off === undefined ? {} : { values_off: extra.values_off }),
    ...(outcome.quarantine_id === undefined ? {} : { quarantine_id: outcome.quarantine_id }),
    ...(extra.children.length > 0 ? { child_work_order_ids: [...extra.children] } : {}),
    ...(extra.refused_acts?.length ? { refused_acts: [...extra.refused_acts] } : {}),
  };
}
