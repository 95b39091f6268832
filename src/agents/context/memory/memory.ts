import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, type SessionId } from "#core/values";
import { type ChainMark, type Envelope, emptyHead, type LogReader } from "#log";
import {
  type Checkpoint,
  type CheckpointRule,
  isCheckpointDue,
  makeCheckpoint,
  verifyCheckpoint,
} from "./checkpoint.ts";
import { type MemoryState, nothingYet, remember } from "./memory-state.ts";

/** Storage of checkpoints. A loaded checkpoint is verified before it is used. */
export interface CheckpointStore {
  /** Newest first. */
  load(session_id: SessionId): Promise<readonly unknown[]>;
  save(checkpoint: Checkpoint): Promise<Result<void>>;
}

export interface MemoryOptions {
  readonly log: Pick<LogReader, "read">;
  readonly checkpoints: CheckpointStore;
  readonly schemas: SchemaRegistry;
  /** Key that checkpoints are sealed with, so that only this workspace can make them. */
  readonly key: string;
  readonly rule: CheckpointRule;
}

export interface Recollection {
  readonly state: MemoryState;
  /** Sequence number that the replay began at: 0 without a checkpoint. */
  readonly from_seq: number;
  /** Number of entries read. */
  readonly replayed: number;
  readonly warnings: readonly string[];
}

/** Memory of a session. It is rebuilt from the log each time; checkpoints only shorten the replay. */
export interface Memory {
  rebuild(session_id: SessionId, signal: AbortSignal): Promise<Result<Recollection>>;
}

const start: ChainMark = { ...emptyHead, bytes: 0 };

export function createMemory(options: MemoryOptions): Memory {
  return {
    async rebuild(session_id, signal) {
      const warnings: string[] = [];
      for (const found of await options.checkpoints.load(session_id)) {
        const verified = verifyCheckpoint(options.schemas, options.key, session_id, found);
        const resumed = verified && (await fromCheckpoint(options, verified, signal));
        if (resumed?.ok) return finish(options, resumed.value, warnings);
        if (resumed?.error.code === "CANCELED") return resumed;
        warnings.push(`a checkpoint of ${session_id} does not fit its log and is ignored`);
      }
      const whole = await replay(options, session_id, { from: start, state: nothingYet, signal });
      return whole.ok ? finish(options, whole.value, warnings) : whole;
    },
  };
}

interface Replayed {
  readonly session_id: SessionId;
  readonly state: MemoryState;
  readonly fromSeq: number;
  readonly replayed: number;
  readonly before: ChainMark;
  readonly at: ChainMark;
}

/** Reads the event that the checkpoint was made at again first: its hash and its byte position must be the same. */
async function fromCheckpoint(
  options: MemoryOptions,
  { checkpoint, state }: { readonly checkpoint: Checkpoint; readonly state: MemoryState },
  signal: AbortSignal,
): Promise<Result<Replayed>> {
  const session_id = checkpoint.session_id as SessionId;
  return replay(options, session_id, { from: checkpoint.before, state, signal, known: checkpoint.at });
}

async function replay(
  { log }: MemoryOptions,
  session_id: SessionId,
  begin: {
    readonly from: ChainMark;
    readonly state: MemoryState;
    readonly signal: AbortSignal;
    readonly known?: ChainMark;
  },
): Promise<Result<Replayed>> {
  let { state } = begin;
  let before = begin.from;
  let at = begin.from;
  let replayed = 0;
  let known = begin.known;
  for await (const read of log.read(session_id, begin.from.seq === 0 ? {} : { after: begin.from })) {
    if (!read.ok) return read;
    if (begin.signal.aborted) return err(domainError("CANCELED", "the replay was canceled"));
    const event = read.value as unknown as Envelope;
    before = at;
    at = { seq: event.seq, hash: event.hash, bytes: at.bytes + lineBytes(event) };
    if (known) {
      if (at.hash !== known.hash || at.bytes !== known.bytes) return mismatch(session_id);
      known = undefined;
      continue;
    }
    state = remember(state, event);
    replayed += 1;
  }
  if (known) return mismatch(session_id); // the log is shorter than the checkpoint
  return ok({ session_id, state, fromSeq: begin.known?.seq ?? 0, replayed, before, at });
}

async function finish(
  options: MemoryOptions,
  { state, replayed, fromSeq, before, at }: Replayed,
  warnings: readonly string[],
): Promise<Result<Recollection>> {
  const allWarnings = [...warnings];
  if (replayed > 0 && isCheckpointDue(options.rule, replayed, state.ended !== null)) {
    const saved = await options.checkpoints.save(makeCheckpoint(options.key, before, at, state));
    if (!saved.ok) allWarnings.push(`no checkpoint was made: ${saved.error.message}`); // the next rebuild only takes longer
  }
  return ok({ state, from_seq: fromSeq, replayed, warnings: allWarnings });
}

function lineBytes(event: Envelope): number {
  return Buffer.byteLength(canonicalJson(event)) + 1;
}

function mismatch(session_id: string): Result<never> {
  return err(domainError("LEDGER_CORRUPT", `the checkpoint of ${session_id} does not fit its log`));
}
