import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { openTurnLock, type TurnLock } from "#core/database";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, canonicalJson, err, type Failpoint, noFailpoints, ok, type Result, sleep } from "#core/values";
import { anchorFile, type Disk, realDisk, writeAll } from "#log";
import type { SeenCheckpoint } from "../memory/kept-checkpoint.ts";
import { type AnchoredHead, type Anchors, answerTo, leafText, type NewLeaf, sortLeaves } from "./anchor-leaf.ts";
import { AnchorTail } from "./anchor-tail.ts";
import { isSignedBy, notSigned, sealCheckpoint } from "./checkpoint.ts";
import { asRecorded } from "./frontier/head-segment.ts";
import { leafHash, type TreeHash } from "./merkle.ts";
import { keyChanged, type SigningKey } from "./signing-key.ts";
import { type Succession, sealSuccession, succeededMeanwhile } from "./succession.ts";

export interface AnchorLogOptions {
  /** The workspace. */
  readonly root: string;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly disk?: Disk;
  readonly failpoint?: Failpoint;
  /** How long to wait for another process that is anchoring. */
  readonly lockWaitMs?: number;
  /** Gets each checkpoint that was written, once it is on disk. */
  readonly onCheckpoint?: ((seen: SeenCheckpoint) => void) | undefined;
}

interface Waiting {
  readonly leaf: NewLeaf;
  readonly isUnanchored: boolean;
  readonly settle: (result: Result<void>) => void;
}

/**
 * The anchor log of a workspace: heads of sessions under signed roots, outside the sessions' own folders. Heads that
 * arrive while a batch is being written form the next one: however many they are, they share one root, one signature,
 * one write and one sync.
 *
 *   {kind: leaf …}\n {kind: leaf …}\n {kind: checkpoint, tree_size, root_hash, signature …}\n   = one batch, one write
 *
 * A batch counts once its checkpoint is whole; whatever follows the last whole checkpoint was never acknowledged and is
 * cut off by the next writer. Several processes take turns under a lock that falls with its holder.
 */
export class AnchorLog implements Anchors {
  readonly #options: AnchorLogOptions;
  readonly #disk: Disk;
  readonly #tail: AnchorTail;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #turn: TurnLock | undefined;

  constructor(options: AnchorLogOptions) {
    this.#options = options;
    this.#disk = options.disk ?? realDisk;
    this.#tail = new AnchorTail(options.root, options.key);
  }

  add(leaf: NewLeaf, session?: { readonly isUnanchored: boolean }): Promise<Result<void>> {
    return new Promise((settle) => {
      this.#waiting.push({ leaf, isUnanchored: session?.isUnanchored ?? false, settle });
      this.#running ??= this.#run();
    });
  }

  async standing(session_id: string): Promise<Result<AnchoredHead | undefined>> {
    while (this.#running) await this.#running; // from here on nothing is awaited: no batch is half written meanwhile
    const { root, key } = this.#options;
    const file = anchorFile(root);
    if (!existsSync(file)) return ok(undefined);
    try {
      const fd = openSync(file, "r");
      try {
        const known = this.#headsOf([session_id], fd);
        if (!known.ok) return known;
        const { found } = this.#tail.heads;
        return found && !isSignedBy(found, key) ? err(notSigned()) : ok(known.value.get(session_id));
      } finally {
        closeSync(fd);
      }
    } catch (thrown) {
      this.#tail.close();
      return err(unavailable(`the anchor log could not be read: ${messageOf(thrown)}`, thrown));
    }
  }

  /** The newest heads of these sessions, as far as they have any. Where the index of the past is damaged, the log is read. */
  #headsOf(session_ids: Iterable<string>, fd: number): Result<ReadonlyMap<string, AnchoredHead>> {
    const caughtUp = this.#tail.catchUp(fd);
    if (!caughtUp.ok) return caughtUp;
    const heads = new Map<string, AnchoredHead>();
    for (const session_id of asRecorded(session_ids)) {
      const head = this.#tail.headOf(session_id, fd);
      if (head === "damaged") {
        this.#tail.forget();
        return this.#headsOf(session_ids, fd);
      }
      if (head) heads.set(session_id, head);
    }
    return ok(heads);
  }

  /**
   * Changes the signing key under the lock, so that no other process anchors meanwhile: the old key signs a succession (the next
   * key and the tree size up to which the old one counts), `install` writes the succession and then the new key, and the new key
   * signs the current root.
   */
  async succeed(next: SigningKey, install: (succession: Succession) => void): Promise<Result<Succession>> {
    await this.drained();
    const { key, clock, root } = this.#options;
    const file = anchorFile(root);
    try {
      const turn = await this.#takeTurn(dirname(file));
      if (!turn) return err(unavailable("another process has been anchoring for too long; try again"));
      try {
        if (!key.isCurrent()) return err(succeededMeanwhile());
        const fd = this.#disk.open(file, "update");
        try {
          const caughtUp = this.#tail.catchUp(fd);
          if (!caughtUp.ok) return caughtUp;
          const tree = this.#tail.heads.tree();
          const succession = sealSuccession(key, next, tree.size, clock.now());
          install(succession);
          if (this.#disk.size(fd) > this.#tail.end) this.#disk.truncate(fd, this.#tail.end);
          const checkpoint = canonicalJson(sealCheckpoint(tree, next, clock.now()));
          writeAll(this.#disk, fd, Buffer.from(`${checkpoint}\n`), this.#tail.end);
          await this.#disk.sync(fd);
          this.#tail.advance([], tree, { lines: [], checkpointLength: checkpoint.length });
          return ok(succession);
        } finally {
          this.#disk.close(fd);
        }
      } finally {
        turn.give();
      }
    } catch (thrown) {
      this.close();
      return err(unavailable(`the signing key could not be changed: ${messageOf(thrown)}`, thrown));
    }
  }

  /** Lets go of the lock file; the next batch would open it again. */
  close(): void {
    this.#turn?.close();
    this.#turn = undefined;
    this.#tail.close();
  }

  /** Resolves when nothing is waiting any more. */
  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // sessions that close in the same turn of the event loop join the batch
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      const written = await this.#write(batch);
      for (const { leaf, settle } of batch) settle(answerTo(leaf, written));
    }
    this.#running = undefined;
  }

  /** Returns the leaves that were refused. */
  async #write(batch: readonly Waiting[]): Promise<Result<ReadonlySet<NewLeaf>>> {
    const file = anchorFile(this.#options.root);
    try {
      const turn = await this.#takeTurn(dirname(file));
      if (!turn) return err(unavailable("another process has been anchoring for too long; try again"));
      try {
        return await this.#append(file, batch);
      } finally {
        turn.give();
      }
    } catch (thrown) {
      this.close(); // its folder may have gone, and what is on disk now is looked at again before the next batch
      return err(unavailable(`the anchor log could not be written: ${messageOf(thrown)}`, thrown));
    }
  }

  async #append(file: string, batch: readonly Waiting[]): Promise<Result<ReadonlySet<NewLeaf>>> {
    const { failpoint = noFailpoints, key, clock } = this.#options;
    if (!key.isCurrent()) return err(keyChanged());
    const isNew = this.#tail.size() === undefined;
    const fd = this.#disk.open(file, "update");
    try {
      const asked = new Set(batch.flatMap(({ leaf, isUnanchored }) => (isUnanchored ? [] : [leaf.session_id])));
      const known = this.#headsOf(asked, fd);
      if (!known.ok) return known;
      const leaves = batch.map(({ leaf }) => leaf);
      const { fresh, refused } = sortLeaves(leaves, (session_id) => known.value.get(session_id));
      if (fresh.length === 0) return ok(refused);
      const tree = this.#tail.heads.tree();
      const lines: { readonly length: number; readonly hash: TreeHash }[] = [];
      let text = "";
      for (const leaf of fresh) {
        const line = leafText(leaf);
        const hash = leafHash(line);
        tree.append(hash);
        lines.push({ length: Buffer.byteLength(line), hash });
        text += `${line}\n`;
      }
      const checkpoint = canonicalJson(sealCheckpoint(tree, key, clock.now()));
      text += `${checkpoint}\n`;
      failpoint("anchor.before");
      if (this.#disk.size(fd) > this.#tail.end) this.#disk.truncate(fd, this.#tail.end);
      writeAll(this.#disk, fd, Buffer.from(text), this.#tail.end);
      failpoint("anchor.written");
      await this.#disk.sync(fd);
      if (isNew) await this.#disk.syncFolder(dirname(file));
      this.#tail.advance(fresh, tree, { lines, checkpointLength: checkpoint.length });
      this.#options.onCheckpoint?.({ line: checkpoint, in: "file", at: this.#tail.end - checkpoint.length - 1 });
      failpoint("anchor.after");
      this.#tail.moveFrontier();
      failpoint("anchor.frontier");
      return ok(refused);
    } finally {
      this.#disk.close(fd);
    }
  }

  async #takeTurn(folder: string): Promise<TurnLock | undefined> {
    const { clock, lockWaitMs = 10_000 } = this.#options;
    if (!this.#turn) {
      mkdirSync(folder, { recursive: true });
      this.#turn = openTurnLock(join(folder, "anchors.lock"));
    }
    const turn = this.#turn;
    const deadline = clock.monotonic() + lockWaitMs;
    for (;;) {
      if (turn.take()) return turn;
      if (clock.monotonic() >= deadline) return undefined;
      await sleep(clock, 3);
    }
  }
}

function unavailable(message: string, cause?: unknown): DomainError {
  return domainError("LEDGER_UNAVAILABLE", message, { cause });
}
