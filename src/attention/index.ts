/** Context from ledgers, registries and files, by template. Reads; never writes and never speaks. */
export type { AssembledContext, AttentionRequest, AttentionService, Fragment } from "./attention-service.ts";
export { type AttentionSources, createAttention } from "./create-attention.ts";
export { fileCheckpoints } from "./memory/adapters/file-checkpoints.ts";
export type { Checkpoints } from "./memory/checkpoints.ts";
export {
  type CheckpointRule,
  defaultCheckpointRule,
  extendMemory,
  type IgnoredCheckpoint,
  isCheckpointDue,
  type Memory,
  type MemoryDeps,
  rebuildMemory,
  writeCheckpoint,
} from "./memory/memory.ts";
export type { MemoryState } from "./memory/memory-state.ts";
export { buildPromptHeader, type PromptHeaderOptions } from "./memory/prompt-builder.ts";
