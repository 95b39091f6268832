import { canonicalJson, type Result, sha256 } from "#core/values";
import type { Event } from "#log";
import type { Reservation } from "../budget/budgeter.ts";
import type { Boundary, CompletionParameters } from "./completion-parameters.ts";
import type { RuntimeProfile } from "./profile.ts";
import type { PromptRequest } from "./prompt.ts";
import type { Provider } from "./provider.ts";

/** What a call was granted, and how it asks. */
export interface CallTerms {
  readonly reservation: Reservation;
  readonly parameters: CompletionParameters;
  /** Bounds that the prompt contract sets. */
  readonly boundary: Boundary;
}

/** Durable before the model hears of it. */
export function announceCall(
  { profile, provider }: { readonly profile: RuntimeProfile; readonly provider: Pick<Provider, "id"> },
  request: PromptRequest,
  call: Pick<CallTerms, "reservation"> & {
    readonly parameters: Pick<CallTerms["parameters"], "model" | "generation">;
    readonly request_id: string;
    readonly call: number;
    readonly conversation_hash: string;
    /** The dialect of a program that asks in its own words, and what was changed in them. */
    readonly wire?: { readonly dialect: string; readonly changes: readonly string[] };
  },
): Promise<Result<Event<"llm.request">>> {
  const { reservation, parameters } = call;
  const { model, generation } = parameters;
  return request.recorder.append({
    type: "llm.request",
    actor: request.role,
    payload: {
      request_id: call.request_id,
      role: request.role,
      ...(request.persona === undefined ? {} : { persona: request.persona }),
      agent_id: request.author.agent_id,
      work_order_id: request.author.work_order_id,
      contract_id: request.contract_id,
      profile: profile.name,
      provider: provider.id,
      model,
      ...(request.fallback_from === undefined ? {} : { fallback_from: request.fallback_from }),
      call: call.call,
      conversation_id: request.conversation.id,
      new_messages: request.messages as never,
      message_count: request.conversation.messages.length + request.messages.length,
      conversation_hash: call.conversation_hash,
      tools: request.tools.map((tool) => tool.name),
      ...(call.wire === undefined ? {} : { dialect: call.wire.dialect, changes: [...call.wire.changes] }),
      ...generation,
      skill: request.skill,
      reserved: {
        reservation_id: reservation.id,
        input_tokens: reservation.input_tokens,
        output_tokens: reservation.output_tokens,
        usd: reservation.usd,
      },
      request_hash: sha256(canonicalJson({ model, messages: request.messages, ...generation })),
      ...(request.context_hash === undefined ? {} : { context_hash: request.context_hash }),
    },
  });
}
