import { canonicalJson, ok, type Result, type SessionId, sha256, zeroHash } from "#base";
import type { ChainMark, Event, LogReader, Recorder } from "#events";
import type { MemoryCheckpointV1, SchemaRegistry } from "#schemas";
import type { Checkpoints } from "./checkpoints.ts";
import { emptyMemory, type MemoryState, remember } from "./memory-state.ts";

/** A session's context, rebuilt from its ledger. Agents do not remember: they read. */
export interface Memory {
  readonly session_id: SessionId;
  readonly state: MemoryState;
  /** The last event that is in it. */
  readonly at: ChainMark;
  /** How it came about: from which checkpoint, how many events were read, and which checkpoints were not believed. */
  readonly from: {
    readonly checkpoint: number | null;
    readonly events: number;
    readonly ignored: readonly IgnoredCheckpoint[];
  };
}

export interface IgnoredCheckpoint {
  readonly seq: number | null;
  readonly why: string;
}

export interface MemoryDeps {
  readonly log: Pick<LogReader, "readBatches">;
  readonly checkpoints: Checkpoints;
  readonly schemas: SchemaRegistry;
}

const tries = 3;
const start: ChainMark = { seq: 0, hash: zeroHash, bytes: 0 };

/**
 * The newest checkpoint that the chain confirms, and the events since; without one, all of them. A checkpoint is confirmed
 * when the event after it links to the hash it names, and an event of the session itself holds the hash of what it remembers:
 * to forge one, the chain would have to be forged.
 */
export async function rebuildMemory(deps: MemoryDeps, sessionId: SessionId): Promise<Result<Memory>> {
  const ignored: IgnoredCheckpoint[] = [];
  for (const found of await deps.checkpoints.newest(sessionId, tries)) {
    const checked = deps.schemas.validate("memory_checkpoint_v1", found);
    if (!checked.ok) {
      ignored.push({ seq: null, why: checked.error.message });
      continue;
    }
    const checkpoint = checked.value;
    const why = await (async () => {
      if (checkpoint.session_id !== sessionId) return "it is another session's";
      if (sha256(canonicalJson(checkpoint.state)) !== checkpoint.state_hash)
        return "its content is not what its hash says";
      const read = await replay(deps, sessionId, checkpoint.at, checkpoint.state, checkpoint);
      if (!read.ok) return read.error.message;
      return read.value.confirmed ? read.value : "no event of the session confirms it";
    })();
    if (typeof why !== "string")
      return ok({ ...why.memory, from: { checkpoint: checkpoint.at.seq, events: why.memory.from.events, ignored } });
    ignored.push({ seq: checkpoint.at.seq, why });
  }
  const whole = await replay(deps, sessionId, start, emptyMemory, undefined);
  if (!whole.ok) return whole;
  return ok({ ...whole.value.memory, from: { ...whole.value.memory.from, ignored } });
}

async function replay(
  deps: MemoryDeps,
  sessionId: SessionId,
  after: ChainMark,
  state: MemoryState,
  checkpoint: MemoryCheckpointV1 | undefined,
): Promise<Result<{ memory: Memory; confirmed: boolean }>> {
  let memory: Memory = { session_id: sessionId, state, at: after, from: { checkpoint: null, events: 0, ignored: [] } };
  let confirmed = false;
  for await (const batch of deps.log.readBatches(sessionId, after.seq === 0 ? {} : { after })) {
    if (!batch.ok) return batch;
    for (const event of batch.value) {
      if (checkpoint && isConfirmation(event, checkpoint)) confirmed = true;
      memory = extendMemory(memory, event);
    }
  }
  return ok({ memory, confirmed });
}

function isConfirmation(event: Event, checkpoint: MemoryCheckpointV1): boolean {
  if (event.type !== "memory.checkpointed") return false;
  const { at_seq, at_hash, state_hash } = (event as Event<"memory.checkpointed">).payload;
  return at_seq === checkpoint.at.seq && at_hash === checkpoint.at.hash && state_hash === checkpoint.state_hash;
}

/** One more event; for a session that goes on. */
export function extendMemory(memory: Memory, event: Event): Memory {
  return {
    ...memory,
    state: remember(memory.state, event),
    // A line of the log is the event's canonical form and an LF.
    at: { seq: event.seq, hash: event.hash, bytes: memory.at.bytes + Buffer.byteLength(canonicalJson(event)) + 1 },
    from: { ...memory.from, events: memory.from.events + 1 },
  };
}

/** When a checkpoint is due. */
export interface CheckpointRule {
  readonly everyEvents: number;
}

export const defaultCheckpointRule: CheckpointRule = { everyEvents: 1000 };

/** By rule: so many events after the last one, and at the close of a session long enough to be worth it. */
export function isCheckpointDue(memory: Memory, lastSeq: number, rule: CheckpointRule, closing: boolean): boolean {
  const since = memory.at.seq - lastSeq;
  return since >= rule.everyEvents || (closing && memory.at.seq >= rule.everyEvents && since > 0);
}

/** Keeps the checkpoint, then lets the session say so. Killed in between, it is a file that nothing confirms. */
export async function writeCheckpoint(
  deps: Pick<MemoryDeps, "checkpoints">,
  memory: Memory,
  recorder: Recorder,
  reason: "interval" | "close",
): Promise<Result<MemoryCheckpointV1>> {
  const state_hash = sha256(canonicalJson(memory.state));
  const checkpoint: MemoryCheckpointV1 = {
    schema_version: "v1",
    session_id: memory.session_id,
    at: memory.at,
    state: memory.state,
    state_hash,
  };
  const written = await deps.checkpoints.write(checkpoint);
  if (!written.ok) return written;
  const recorded = await recorder.append({
    type: "memory.checkpointed",
    actor: "attention",
    payload: { at_seq: memory.at.seq, at_hash: memory.at.hash, state_hash, reason },
  });
  return recorded.ok ? ok(checkpoint) : recorded;
}
