import type { DomainError } from "#core/errors";
import type { FlowResult } from "../flow/execution-context.ts";

/** The result of a request that has no session: no order id could be reserved, or its message could not be carried out. */
export function failedOrder({ code, message }: DomainError): FlowResult {
  return {
    status: "failure",
    work_order_id: null,
    agent_id: null,
    session_id: null,
    response: null,
    tokens_used: null,
    validation_result: null,
    ledger_entry_ids: [],
    error: message,
    error_code: code,
    duration_ms: 0,
  };
}
