/** Context from ledgers, registries and files, by template. Reads; never writes and never speaks. */
export type { AssembledContext, AttentionRequest, AttentionService, Fragment } from "./attention-service.ts";
export { type AttentionSources, createAttention } from "./create-attention.ts";
