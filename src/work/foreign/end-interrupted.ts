import type { AgentContext } from "#agents";
import { isJsonObject, ok, type Result } from "#core/values";
import type { RecordedRequest } from "#log";
import type { FlowDependencies } from "../flow/flow.ts";

/**
 * Ends the requests of a session whose process died: those that were answered count as they were settled, and one without an
 * answer counts in full, since its cost is unknown.
 */
export async function endInterrupted(
  { budgeter }: Pick<FlowDependencies, "budgeter">,
  { recorder, budget }: Pick<AgentContext, "recorder" | "budget">,
): Promise<Result<void>> {
  for (const recorded of recorder.past?.takeRequests?.() ?? []) {
    const { reserved } = recorded.request.payload;
    if (!isJsonObject(reserved) || typeof reserved["reservation_id"] !== "string") continue;
    const amount = (name: string) => (typeof reserved[name] === "number" ? reserved[name] : 0);
    const reservation = {
      id: reserved["reservation_id"],
      scope: budget,
      input_tokens: amount("input_tokens"),
      output_tokens: amount("output_tokens"),
      usd: amount("usd"),
    };
    const adopted = budgeter.adopt(reservation);
    if (!adopted.ok) return adopted;
    const { input_tokens, output_tokens, usd } = reservation;
    const whole = { input_tokens, output_tokens, cost_usd: usd, estimated: true };
    const usage = recorded.response?.payload.usage ?? whole;
    if (!recorded.response) {
      const ended = await recorder.append(interrupted(recorded, whole));
      if (!ended.ok) return ended;
    }
    const settled = await budgeter.settle(
      reservation,
      {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        usd: usage.cost_usd ?? 0,
        estimated: usage.estimated === true,
      },
      { recorder },
    );
    if (!settled.ok) return settled;
  }
  return ok(undefined);
}

function interrupted({ request: { payload } }: RecordedRequest, usage: object) {
  const { request_id, role, provider } = payload;
  return {
    type: "llm.response",
    actor: role,
    payload: {
      request_id,
      role,
      status: "error",
      usage: usage as { readonly input_tokens: number; readonly output_tokens: number },
      provider,
      duration_ms: 0,
      error: {
        code: "INTERRUPTED",
        message: "the process that asked ended before the answer was recorded",
        retryable: true,
      },
    },
  } as const;
}
