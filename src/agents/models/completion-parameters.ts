import type { PromptContractV1 } from "#core/contracts";
import type { Reservation } from "../budget/budgeter.ts";
import type { RuntimeProfile } from "./profile.ts";
import type { PromptRequest } from "./prompt.ts";

/** Bounds that a prompt contract sets to a call. */
export type Boundary = NonNullable<PromptContractV1["boundary"]>;

/** What the model is told about how to answer. */
interface Generation {
  readonly max_tokens: number;
  readonly temperature?: number;
}

export interface CompletionParameters extends Generation {
  readonly model: string;
  readonly generation: Generation;
  readonly timeout_ms: number;
  readonly tools: PromptRequest["tools"];
  readonly schema_version: "v1";
}

/** What a call asks of a model beside its messages: the contract's word counts, then the role's, then the profile's. */
export function completionParameters(
  profile: RuntimeProfile,
  request: PromptRequest,
  terms: { readonly model: string; readonly reservation: Reservation; readonly boundary: Boundary },
): CompletionParameters {
  const { model, reservation, boundary } = terms;
  const temperature = boundary.temperature ?? profile.roles[request.role]?.temperature ?? profile.temperature;
  const generation = { max_tokens: reservation.output_tokens, ...(temperature === undefined ? {} : { temperature }) };
  const timeout_ms = Math.min(profile.timeout_ms, boundary.timeout_ms ?? Number.POSITIVE_INFINITY);
  return { model, generation, timeout_ms, ...generation, tools: request.tools, schema_version: "v1" };
}
