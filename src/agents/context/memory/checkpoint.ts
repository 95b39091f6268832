import type { MemoryCheckpointV1, SchemaRegistry } from "#core/contracts";
import { canonicalJson, keyedSha256 } from "#core/values";
import type { ChainMark } from "#log";
import { foldRules, type MemoryState } from "./memory-state.ts";

export type Checkpoint = MemoryCheckpointV1;

/** When a checkpoint is made: after so many entries since the last, and at the end of a session that has half as many. */
export interface CheckpointRule {
  readonly every_entries: number;
}

export function isCheckpointDue(rule: CheckpointRule, since: number, ended: boolean): boolean {
  return since >= rule.every_entries || (ended && since * 2 >= rule.every_entries);
}

export function makeCheckpoint(key: string, before: ChainMark, at: ChainMark, state: MemoryState): Checkpoint {
  const body = {
    schema_version: "v1" as const,
    session_id: state.session_id,
    rules: foldRules,
    before: { ...before },
    at: { ...at },
    state: { ...state },
  };
  return { ...body, mac: macOf(key, body) };
}

/**
 * Whether a checkpoint is one that this workspace made with this fold for this session, unchanged. That the log still holds
 * the event it was made at is for the reader to see, who reads that event first.
 */
export function verifyCheckpoint(
  schemas: SchemaRegistry,
  key: string,
  session_id: string,
  found: unknown,
): { readonly checkpoint: Checkpoint; readonly state: MemoryState } | undefined {
  const checkpoint = schemas.validate("memory_checkpoint_v1", found);
  if (!checkpoint.ok) return undefined;
  const { mac, ...body } = checkpoint.value;
  if (mac !== macOf(key, body) || body.session_id !== session_id || body.rules !== foldRules) return undefined;
  if (body.at.seq !== body.before.seq + 1) return undefined;
  return { checkpoint: checkpoint.value, state: body.state as unknown as MemoryState };
}

function macOf(key: string, body: Omit<Checkpoint, "mac">): string {
  return keyedSha256(key, `writ memory checkpoint\n${canonicalJson(body)}`);
}
