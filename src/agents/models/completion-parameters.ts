import type { PromptContractV1 } from "#core/contracts";
import type { Reservation } from "../budget/budgeter.ts";
import type { RuntimeProfile } from "./profile.ts";
import type { PromptRequest } from "./prompt.ts";

/** Bounds of a call that a prompt contract sets. */
export type Boundary = NonNullable<PromptContractV1["boundary"]>;

/** Parameters of the model's answer. */
interface Generation {
  readonly max_tokens: number;
  readonly temperature?: number;
}

export interface CompletionParameters extends Generation {
  readonly model: string;
  readonly generation: Generation;
  readonly timeout_ms: number;
  readonly answer?: PromptRequest["answer"];
  readonly reasoning?: RuntimeProfile["reasoning"];
  readonly cache_key: string;
  readonly tools: PromptRequest["tools"];
  readonly schema_version: "v2";
}

/** Parameters of a call beside its messages. The contract takes precedence over the role, the role over the profile. */
export function completionParameters(
  profile: RuntimeProfile,
  request: PromptRequest,
  terms: { readonly model: string; readonly reservation: Reservation; readonly boundary: Boundary },
): CompletionParameters {
  const { model, reservation, boundary } = terms;
  const temperature = boundary.temperature ?? profile.roles[request.role]?.temperature ?? profile.temperature;
  const generation = { max_tokens: reservation.output_tokens, ...(temperature === undefined ? {} : { temperature }) };
  const timeout_ms = Math.min(profile.timeout_ms, boundary.timeout_ms ?? Number.POSITIVE_INFINITY);
  return {
    model,
    generation,
    timeout_ms,
    ...generation,
    ...(request.answer === undefined ? {} : { answer: request.answer }),
    ...(profile.reasoning === undefined ? {} : { reasoning: profile.reasoning }),
    cache_key: request.cache_key ?? request.recorder.session_id,
    tools: request.tools.map(({ check: _, ...offer }) => offer),
    schema_version: "v2",
  };
}
