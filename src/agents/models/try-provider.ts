import type { FlowRequestV1, FlowResultV2, WorkOrder } from "#core/contracts";
import type { CheckedPart } from "#core/shapes";
import type { Result } from "#core/values";

/** How a request becomes an order and an order a result. */
interface OneRequest {
  readonly caller: string;
  writeWorkOrder(prompt: string, wanted: { readonly profile: string }): Promise<Result<WorkOrder>>;
  runFlow(
    request: FlowRequestV1,
    options: { readonly signal: AbortSignal; readonly fresh: boolean },
  ): Promise<FlowResultV2>;
}

/** One tiny request like every other: under a work order, through the router, in the log. */
export async function tryProvider(runtime: OneRequest, profile: string, signal: AbortSignal): Promise<CheckedPart> {
  const part = { id: "call", title: "A call" };
  const order = await runtime.writeWorkOrder("Answer with the single word: ready", { profile });
  if (!order.ok) return { ...part, health: "broken", found: order.error.message };
  const work_order = {
    ...order.value,
    type: "answer",
    tool_permissions: [],
    scope: { allowed_files: [] },
    budget: { token_limit: 2_000, turn_limit: 1, timeout_seconds: 60 },
  };
  const result = await runtime.runFlow({ work_order, caller_id: runtime.caller }, { signal, fresh: true });
  const { status, response, error, duration_ms, session_id } = result;
  if (status !== "success") return { ...part, health: "broken", found: error ?? status };
  const said = (response ?? "").replaceAll(/\s+/g, " ").slice(0, 60);
  return { ...part, health: "works", found: `answered "${said}" in ${duration_ms} ms (${session_id})` };
}
