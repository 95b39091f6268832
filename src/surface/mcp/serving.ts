import type { RequestStateCodec, ServerContext } from "@modelcontextprotocol/server";
import type { SanitizeError } from "#core/routes";
import type { Caller, Clock, JsonObject } from "#core/values";
import type { McpOffer } from "./offer/mcp-offer.ts";
import type { McpRequest } from "./offer/mcp-request.ts";
import type { WritOfferParts } from "./own/writ-offer.ts";
import type { StateKeyParts } from "./state-key.ts";

export interface McpServerParts extends Omit<WritOfferParts, "config">, StateKeyParts {
  readonly config: WritOfferParts["config"] & StateKeyParts["config"];
  readonly version: string;
  readonly sanitizeError: SanitizeError;
  readonly onProblem: (message: string) => void;
}

export interface McpServing {
  readonly offer: McpOffer;
  readonly caller: Caller;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  /** Aborts when this connection ends. */
  readonly connection: AbortSignal;
  /** Signs what travels through clients from one round of a request to the next; at least 32 bytes. */
  readonly stateKey: Uint8Array;
}

/** What the handlers of one connection share. */
export interface Serving extends McpServing {
  readonly sanitizeError: SanitizeError;
  readonly clock: Clock;
  readonly codec: RequestStateCodec<KeptState>;
  /** `about`: the tool or prompt that it names. */
  requestOf(context: ServerContext, about?: string): McpRequest;
  onProblem(thrown: unknown): void;
}

/** What travels through the client. */
export interface KeptState {
  /** The tool or prompt of the request. */
  readonly about: string;
  readonly keep: JsonObject;
}
