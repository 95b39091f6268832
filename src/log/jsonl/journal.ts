import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, err, type Failpoint, ok, type Result } from "#core/values";
import type { Event } from "../event.ts";
import { LedgerWriter } from "../ledger-writer.ts";
import { LineWriter } from "../line-writer.ts";
import type { Entry } from "../sealed-event.ts";
import { Arena, type Batch, type ChunkSource } from "./arena.ts";
import { type Disk, isPassing } from "./disk.ts";
import { encodeFrame, type Frame, headerLength, type OwnerFrame } from "./frame.ts";
import { JournalFile } from "./journal-file.ts";
import type { JsonlSession } from "./jsonl-session.ts";
import { SyncPace } from "./sync-pace.ts";

export interface JournalOptions {
  readonly folder: string;
  readonly owner: Omit<OwnerFrame, "frame" | "generation">;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly failpoint: Failpoint;
  readonly memory: ChunkSource;
  /** How large a generation may grow before the next one begins. */
  readonly limit: () => number;
  /** The sessions that must stay claimed in the next generation. */
  readonly claims: () => Iterable<JsonlSession>;
  /** Called when events have become durable: their session files are behind. */
  readonly committed: (bytes: number) => void;
  /** Called when a generation has ended; its file may be removed once every session file holds its events. */
  readonly retire: (file: JournalFile) => void;
  /** Delays the next batch while it is pending, so that memory and disk stay bounded. */
  readonly pressure: (length: number) => Promise<unknown> | undefined;
}

/** The batch that is being gathered: entries, and the session of each. */
class Gathering {
  readonly sessions: JsonlSession[] = [];
  readonly entries: Entry[] = [];
  readonly frames: ((outcome: Result<void>) => void)[] = [];
  /** The number of callers that wait for it. */
  callers = 0;

  add(session: JsonlSession, entry: Entry): void {
    this.sessions.push(session);
    this.entries.push(entry);
    if (entry.settle) this.callers += 1;
  }
}

/**
 * The number of callers whose promises are resolved at once; the rest follow in the next turns of the event loop. The
 * next events of the first callers are already being synced while the others are resolved: with 1,000 sessions the disk
 * and the processor work at the same time.
 */
const settledPerTurn = 128;

/**
 * The one journal of this process. While a batch is being synced the next one gathers; all appends of a batch share its
 * sync.
 *
 *   gathering ──write()──► written ──fdatasync──► durable: acknowledged
 *       │                     │            └─ fails ──► poisoned: nothing is written any more
 *       └──── no room ────────┴──► undone: no append is acknowledged, chains go back, the next append tries again
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #arena: Arena;
  /** Writes lines directly into the gathering batch. */
  readonly line: LineWriter;
  /**
   * Gathers the ledger entries of the batch. They are written to no journal, because they can be derived from its
   * events.
   */
  readonly #derived: Arena;
  readonly ledgers: LedgerWriter;
  #file: JournalFile;
  #gathering = new Gathering();
  #running: Promise<void> | undefined;
  #scheduled = false;
  /** The batch that is being written. */
  #written: Gathering | undefined;
  readonly #pace: SyncPace;
  #poison: DomainError | undefined;
  #rotateAbove = 0;

  private constructor(options: JournalOptions, file: JournalFile) {
    this.#options = options;
    this.#file = file;
    this.#pace = new SyncPace(options.clock);
    this.#arena = new Arena(options.memory);
    this.line = new LineWriter(this.#arena);
    this.#derived = new Arena(options.memory);
    this.ledgers = new LedgerWriter(this.#derived);
  }

  static async begin(options: JournalOptions): Promise<Result<Journal>> {
    try {
      const journal = new Journal(options, await newGeneration(options, 1, []));
      return ok(journal);
    } catch (thrown) {
      return err(unavailable(`cannot begin a journal in ${options.folder}`, thrown, isPassing(thrown)));
    }
  }

  get poison(): DomainError | undefined {
    return this.#poison;
  }

  get generation(): number {
    return this.#file.generation;
  }

  get idle(): boolean {
    return this.#running === undefined && !this.#scheduled;
  }

  /** True when no batch is being written and none gathers: the next append starts a batch that is written at once. */
  get isAtRest(): boolean {
    return this.#written === undefined && this.#gathering.entries.length === 0;
  }

  /**
   * Adds the line that was just written to the gathering batch. An entry whose caller waits starts the write; others
   * are written along.
   */
  put(session: JsonlSession, entry: Entry): void {
    entry.start = this.#arena.endLine();
    entry.end = this.#arena.position - this.#arena.batchStart;
    this.#gathering.add(session, entry);
    if (entry.settle) this.#schedule();
  }

  /** Writes a frame and resolves once it is durable. */
  frame(frame: Frame): Promise<Result<void>> {
    if (this.#poison) return Promise.resolve(err(this.#poison));
    return new Promise((resolve) => {
      this.#arena.add(encodeFrame(frame));
      this.#gathering.frames.push(resolve);
      this.#schedule();
    });
  }

  /** Makes durable whatever was added until now; not what other callers add meanwhile, who may never stop. */
  async settle(): Promise<void> {
    const last = this.#arena.gathered > 0 ? this.#gathering : this.#written;
    if (!last) return;
    const settled = new Promise((resolve) => last.frames.push(resolve));
    this.#schedule();
    await settled;
  }

  /** Ends the writing, for the reason given. */
  stop(error: DomainError): void {
    this.#poison ??= error;
  }

  /** To be awaited after `stop`: the batch that was being written is durable or lost, and later appends have failed. */
  async ended(): Promise<void> {
    while (this.#scheduled || this.#running) await (this.#running ?? Promise.resolve());
  }

  close(): void {
    this.#file.close();
  }

  get path(): string {
    return this.#file.path;
  }

  /** In a microtask, so that all appends of this turn of the event loop join the batch. */
  #schedule(): void {
    if (this.#scheduled || this.#running) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#running = this.#drain();
    });
  }

  async #drain(): Promise<void> {
    // Nothing is awaited between the last check of the arena and `#running = undefined`, so no line is left behind.
    while (this.#arena.gathered > 0) {
      if (this.#poison) {
        this.#fail(this.#gathering, this.#poison);
        break;
      }
      const pressure = this.#options.pressure(this.#file.length);
      if (pressure) await pressure;
      if (this.#file.length > Math.max(this.#options.limit(), this.#rotateAbove)) await this.#rotate();
      await this.#writeBatch();
    }
    this.#running = undefined;
  }

  async #writeBatch(): Promise<void> {
    const { failpoint } = this.#options;
    const gathered = this.#gathering;
    this.#written = gathered;
    const claims = this.#claimsOf(gathered);
    const lines = this.#arena.take();
    this.#gathering = new Gathering();
    const batch = claims.length === 0 ? lines.bytes : withFrames(claims, lines.bytes);
    let derived: Batch | undefined;
    let aside: Promise<void> | undefined;
    try {
      failpoint("journal.before-write");
      aside = this.#file.write(batch);
      if (aside) {
        derived = this.#derive(gathered); // other sessions append while this is written
        await aside;
      }
      failpoint("journal.after-write");
    } catch (thrown) {
      this.#undo(thrown);
      return this.#fail(gathered, unavailable("the event could not be written", thrown, isPassing(thrown)));
    }
    const here = this.#pace.begin(gathered.callers) && !aside; // a batch too long to write on this thread is too long to sync on it
    const synced = this.#file.sync(batch, here);
    derived ??= this.#derive(gathered);
    try {
      await synced;
      this.#pace.end();
    } catch (thrown) {
      // After a failed sync the kernel may have marked the pages clean: a second sync would falsely succeed
      // (RELIABILITY F6).
      this.#poison = unavailable(
        "a sync of the journal failed; open the workspace anew, which reads back what is on disk",
        thrown,
        false,
      );
      return this.#fail(gathered, this.#poison);
    }
    failpoint("journal.after-sync");
    this.#commit(gathered, lines, derived);
  }

  /**
   * The ledger entries of the batch. The first session of an idle journal deferred its entries to this moment, when the
   * disk is being waited for.
   */
  #derive({ sessions }: Gathering): Batch {
    sessions[0]?.state.writeWaiting();
    return this.#derived.take();
  }

  /** Claims for the sessions without one in this generation. */
  #claimsOf(gathered: Gathering): string[] {
    const generation = this.#file.generation;
    const claims: string[] = [];
    for (const session of gathered.sessions) {
      if (session.generation === generation) continue;
      claims.push(encodeFrame(session.claim(generation)));
    }
    return claims;
  }

  #commit(gathered: Gathering, lines: Batch, derived: Batch): void {
    const { sessions, entries } = gathered;
    for (let index = 0; index < entries.length; index++) {
      (sessions[index] as JsonlSession).committed(entries[index] as Entry, lines, derived);
    }
    this.#arena.release();
    this.#derived.release();
    this.#written = undefined;
    this.#options.committed(lines.bytes.length + derived.bytes.length);
    for (const settle of gathered.frames) settle(ok(undefined));
    settleEntries(entries, 0);
  }

  #undo(thrown: unknown): void {
    try {
      this.#file.undo();
    } catch {
      this.#poison = unavailable("the journal could not be set back after a failed write", thrown, false);
    }
  }

  /** Fails every append of the batch, and those that gathered after it: their chains build on it. */
  #fail(gathered: Gathering, error: DomainError): void {
    const behind = this.#gathering;
    const batches = gathered === behind ? [gathered] : [gathered, behind];
    for (const arena of [this.#arena, this.#derived]) {
      arena.take();
      arena.release();
    }
    this.#gathering = new Gathering();
    this.#written = undefined;
    for (const { sessions } of batches) for (const session of sessions) session.rollback();
    for (const { sessions, entries, frames } of batches) {
      for (const [index, entry] of entries.entries()) {
        if (entry.settle) entry.settle(err(error));
        else sessions[index]?.lose(error);
      }
      for (const settle of frames) settle(err(error));
    }
  }

  /** No batch is in flight here, so every claim in the new generation begins at a durable event. */
  async #rotate(): Promise<void> {
    const { failpoint, claims, retire } = this.#options;
    failpoint("rotate.before");
    const generation = this.#file.generation + 1;
    const held = [...claims()].filter((session) => session.generation !== 0);
    try {
      const frames = held.map((session) => encodeFrame(session.claim(generation)));
      const next = await newGeneration(this.#options, generation, frames);
      failpoint("rotate.after-new");
      const old = this.#file;
      this.#file = next;
      for (const session of held) session.confirm();
      retire(old);
    } catch (thrown) {
      for (const session of held) session.generation = this.#file.generation;
      if (!isPassing(thrown)) this.#poison = unavailable("the next journal could not be begun", thrown, false);
      this.#rotateAbove = this.#file.length + this.#options.limit() / 4; // keep the old one and try again later
    }
  }
}

async function newGeneration(
  options: JournalOptions,
  generation: number,
  claims: readonly string[],
): Promise<JournalFile> {
  const { disk, folder, owner } = options;
  const file = new JournalFile(disk, folder, owner.instance, generation);
  try {
    const batch = withFrames(
      [encodeFrame({ frame: "owner", ...owner, generation }), ...claims],
      Buffer.alloc(headerLength),
    );
    await file.write(batch);
    await file.sync(batch);
    await disk.syncFolder(folder);
    return file;
  } catch (thrown) {
    file.close();
    disk.remove(file.path);
    throw thrown;
  }
}

function settleEntries(entries: readonly Entry[], from: number): void {
  const end = Math.min(entries.length, from + settledPerTurn);
  for (let index = from; index < end; index++) {
    const { settle, event } = entries[index] as Entry;
    settle?.({ ok: true, value: event as unknown as Event });
  }
  if (end < entries.length) setImmediate(settleEntries, entries, end);
}

/** Frames come before the lines that need them. */
function withFrames(frames: readonly string[], batch: Buffer): Buffer {
  return Buffer.concat([
    Buffer.alloc(headerLength),
    Buffer.from(`${frames.join("\n")}\n`),
    batch.subarray(headerLength),
  ]);
}

function unavailable(what: string, thrown: unknown, retryable: boolean): DomainError {
  return domainError("LEDGER_UNAVAILABLE", `${what}: ${messageOf(thrown)}`, { retryable, cause: thrown });
}
