/** Context from ledgers, registries and files, by template; memory by replay; the prompt builder. Reads; never writes canon and never speaks. */
export { checkpointFiles } from "./adapters/checkpoint-files.ts";
export { type LedgerIndexOptions, SqliteLedgerIndex } from "./adapters/ledger-index/sqlite-ledger-index.ts";
export type {
  Aperture,
  AssembledContext,
  AssembleOptions,
  AttentionRequest,
  AttentionService,
} from "./attention-service.ts";
export { type AttentionOptions, createAttention } from "./create-attention.ts";
export type { Fragment, Trust } from "./fragment.ts";
export type { LedgerAnswer, LedgerHit, LedgerQuery, LedgerSearch } from "./ledger/ledger-search.ts";
export { scanLedgers } from "./ledger/scan-ledgers.ts";
export { createMemory, type Memory, type MemoryOptions, type Recollection } from "./memory/memory.ts";
export { memoryStage } from "./memory/memory-stage.ts";
export type { Limits } from "./pipeline/meter.ts";
export type { AttentionSources, CustomStage, StageContext } from "./pipeline/stage.ts";
export { templateLoader } from "./templates/load-templates.ts";
