import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type SessionId, type Sha256 } from "#core/values";
import type {
  CloseInput,
  Event,
  EventInput,
  EventLog,
  EventType,
  FollowOptions,
  LedgerName,
  ReadOptions,
  RecoveredSession,
  SessionLog,
  Tier,
} from "#log";
import { Fold } from "#log";
import { type AnchoredHead, type Anchors, leafOf, type NewLeaf, openLeaf } from "../anchors/anchor-leaf.ts";
import { SnapshotQueue } from "./snapshot-queue.ts";

export interface SealingOptions {
  readonly log: EventLog;
  readonly schemas: Pick<SchemaRegistry, "has" | "validate">;
  readonly anchors: Anchors;
  /** Why nothing may be recorded here, only read. */
  readonly refused?: DomainError | undefined;
}

/**
 * A log whose sessions are sealed when they close: the head is anchored, and `snapshot.json` follows when there is time.
 * The fold runs along with the writing, so that closing reads nothing again. A session counts as closed only once its head
 * is anchored; if that fails, `close` says so, and the session itself stands as it was written.
 */
export class SealingLog implements EventLog {
  readonly #options: SealingOptions;
  readonly #open = new Map<SessionId, SealedSession>();
  readonly #snapshots: SnapshotQueue;
  #finishing: Promise<void> = Promise.resolve();

  constructor(options: SealingOptions) {
    this.#options = options;
    this.#snapshots = new SnapshotQueue(options);
  }

  async create(options: { readonly tier: Tier; readonly session_id?: SessionId }): Promise<Result<SessionLog>> {
    if (this.#options.refused) return err(this.#options.refused);
    const made = await this.#options.log.create(options);
    return made.ok ? ok(this.#seal(made.value, new Fold(made.value.session_id, this.#options.schemas), true)) : made;
  }

  async open(session_id: SessionId): Promise<Result<SessionLog>> {
    if (this.#options.refused) return err(this.#options.refused);
    const opened = await this.#options.log.open(session_id);
    if (!opened.ok) return opened;
    const anchored = (await this.#options.anchors.standing?.(session_id)) ?? ok(undefined);
    if (!anchored.ok) return this.#letGo(opened.value, anchored.error);
    const fold = new Fold(session_id, this.#options.schemas);
    let hash: Sha256 | undefined;
    for await (const batch of this.#options.log.readBatches(session_id, { verify: false })) {
      if (!batch.ok) break; // closing folds again from the start and says what is wrong
      for (const event of batch.value) {
        fold.add(event);
        if (event.seq === anchored.value?.seq) ({ hash } = event);
      }
    }
    if (anchored.value && hash !== anchored.value.hash)
      return this.#letGo(opened.value, notAsAnchored(session_id, anchored.value, hash));
    return ok(this.#seal(opened.value, fold, false));
  }

  async #letGo(session: SessionLog, error: DomainError): Promise<Result<never>> {
    const released = await session.release();
    return err(released.ok ? error : released.error);
  }

  /** Puts the heads of the sessions that are open now under a root: for long ones, at intervals. */
  async anchorOpen(): Promise<Result<void>> {
    const grown = [...this.#open.values()].filter(({ head }) => head.seq > 0);
    const results = await Promise.all(grown.map((session) => session.anchorHead()));
    return results.find((result) => !result.ok) ?? ok(undefined);
  }

  /**
   * Sessions of dead processes: of those that had closed, snapshot and anchor may be missing; those that are open are
   * anchored as they were found, so that a change made before they are resumed is noticed. Runs in the background;
   * `shutdown` waits for it. A failure shows as a note of `verify`, and the next process tries again.
   */
  finish(sessions: readonly RecoveredSession[]): void {
    this.#finishing = Promise.all([this.#finishing, ...sessions.map((session) => this.#sealAgain(session))]).then(
      () => undefined,
    );
  }

  async #sealAgain({ session_id, head, closed, close }: RecoveredSession): Promise<void> {
    if (!closed) {
      if (head.seq > 0) await this.#options.anchors.add(openLeaf(session_id, head));
      return;
    }
    const end = close ?? (await this.#endOf(session_id, head.seq));
    if (!end) return;
    this.#snapshots.addMissing(session_id, end);
    await this.#options.anchors.add(leafOf(end));
  }

  async #endOf(session_id: SessionId, seq: number): Promise<Event<"session.close"> | undefined> {
    for await (const batch of this.#options.log.readBatches(session_id, { from: seq, verify: false })) {
      const last = batch.ok ? batch.value.at(-1) : undefined;
      if (last?.type === "session.close") return last;
    }
    return undefined;
  }

  #seal(session: SessionLog, fold: Fold, isNew: boolean): SessionLog {
    const sealed = new SealedSession(session, fold, {
      isNew,
      anchors: this.#options.anchors,
      snapshots: this.#snapshots,
      ended: () => this.#open.delete(session.session_id),
    });
    this.#open.set(session.session_id, sealed);
    return sealed;
  }

  read(session_id: SessionId, options?: ReadOptions): ReturnType<EventLog["read"]> {
    return this.#options.log.read(session_id, options);
  }
  readBatches(session_id: SessionId, options?: ReadOptions): ReturnType<EventLog["readBatches"]> {
    return this.#options.log.readBatches(session_id, options);
  }
  readLines(session_id: SessionId): ReturnType<EventLog["readLines"]> {
    return this.#options.log.readLines(session_id);
  }
  readLedger(session_id: SessionId, ledger: LedgerName): ReturnType<EventLog["readLedger"]> {
    return this.#options.log.readLedger(session_id, ledger);
  }
  follow(session_id: SessionId, options: FollowOptions): ReturnType<EventLog["follow"]> {
    return this.#options.log.follow(session_id, options);
  }
  list(): ReturnType<EventLog["list"]> {
    return this.#options.log.list();
  }
  ids(): ReturnType<EventLog["ids"]> {
    return this.#options.log.ids();
  }
  newest(options: Parameters<EventLog["newest"]>[0]): ReturnType<EventLog["newest"]> {
    return this.#options.log.newest(options);
  }
  get writtenElsewhere(): EventLog["writtenElsewhere"] {
    return this.#options.log.writtenElsewhere;
  }
  get anchorLines(): EventLog["anchorLines"] {
    return this.#options.log.anchorLines;
  }
  atWork(ids: readonly SessionId[]): ReturnType<EventLog["atWork"]> {
    return this.#options.log.atWork(ids);
  }
  locate(session_id: SessionId): ReturnType<EventLog["locate"]> {
    return this.#options.log.locate(session_id);
  }
  keepSnapshot(session_id: SessionId, folder: string, text: string): void {
    this.#options.log.keepSnapshot(session_id, folder, text);
  }
  async flush(): Promise<Result<void>> {
    await this.#snapshots.drained();
    return this.#options.log.flush();
  }
  async shutdown(): Promise<Result<void>> {
    await this.#finishing;
    await this.#snapshots.drained();
    const shut = await this.#options.log.shutdown();
    this.#options.anchors.close?.();
    return shut;
  }
}

function notAsAnchored(session_id: string, anchored: AnchoredHead, hash: Sha256 | undefined): DomainError {
  const found = hash === undefined ? "it ends before" : "that event is another one now";
  return domainError(
    "LEDGER_CORRUPT",
    `the session ${session_id} is not the one that was anchored with ${anchored.seq} events: ${found}; it is not taken up`,
    { details: { session_id, seq: anchored.seq, hint: `\`writ session verify ${session_id}\` says more` } },
  );
}

interface Seal {
  /** Created by this process: nothing of it is anchored yet. */
  readonly isNew: boolean;
  readonly anchors: Anchors;
  readonly snapshots: SnapshotQueue;
  readonly ended: () => void;
}

class SealedSession implements SessionLog {
  readonly #session: SessionLog;
  readonly #fold: Fold;
  readonly #seal: Seal;
  #isClosed = false;
  #isUnanchored: boolean;

  constructor(session: SessionLog, fold: Fold, seal: Seal) {
    this.#session = session;
    this.#fold = fold;
    this.#seal = seal;
    this.#isUnanchored = seal.isNew;
  }

  get session_id(): SessionId {
    return this.#session.session_id;
  }
  get tier(): Tier {
    return this.#session.tier;
  }
  get head(): SessionLog["head"] {
    return this.#session.head;
  }

  async append<T extends EventType>(event: EventInput<T>): Promise<Result<Event<T>>> {
    return this.#folded(await this.#session.append(event));
  }

  stage<T extends EventType>(event: EventInput<T>): Result<Event<T>> {
    return this.#folded(this.#session.stage(event));
  }

  async close(input: CloseInput): Promise<Result<Event<"session.close">>> {
    const closed = await this.#session.close(input);
    if (!closed.ok) return closed;
    this.#isClosed = true;
    this.#seal.ended();
    this.#folded(closed);
    this.#seal.snapshots.add(this.session_id, this.#soundFold(closed.value));
    const anchored = await this.#anchor(leafOf(closed.value));
    return anchored.ok ? closed : anchored;
  }

  /** Releases the session and anchors the head that it was left with: until it is resumed no process watches it. */
  async release(): Promise<Result<void>> {
    this.#seal.ended();
    const { session_id, head } = this;
    const released = await this.#session.release();
    if (!released.ok || head.seq === 0 || this.#isClosed) return released;
    return this.#anchor(openLeaf(session_id, head));
  }

  anchorHead(): Promise<Result<void>> {
    return this.#anchor(openLeaf(this.session_id, this.head));
  }

  #anchor(leaf: NewLeaf): Promise<Result<void>> {
    const isUnanchored = this.#isUnanchored;
    this.#isUnanchored = false;
    return this.#seal.anchors.add(leaf, { isUnanchored });
  }

  #folded<E extends Event>(recorded: Result<E>): Result<E> {
    if (recorded.ok) this.#fold.add(recorded.value);
    return recorded;
  }

  /** The fold that ran along is taken if it saw exactly this chain: a refused append or a correction asks for a fresh one. */
  #soundFold({ seq, hash }: Event<"session.close">): Fold | undefined {
    const isSound = this.#fold.eventCount === seq && this.#fold.headHash === hash && this.#fold.found.size === 0;
    return isSound ? this.#fold : undefined;
  }
}
