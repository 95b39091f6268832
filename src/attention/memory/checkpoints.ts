import type { Result, SessionId } from "#base";
import type { MemoryCheckpointV1 } from "#schemas";

/** Where checkpoints lie: the HO2 plane. What is read from it is believed only after the chain has confirmed it. */
export interface Checkpoints {
  /** Newest first; what cannot be read is left out. */
  newest(sessionId: SessionId, count: number): Promise<readonly unknown[]>;
  /** On disk when it answers. */
  write(checkpoint: MemoryCheckpointV1): Promise<Result<void>>;
}
