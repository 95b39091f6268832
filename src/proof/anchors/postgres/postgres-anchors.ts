import { migratePostgres, type Postgres, postgresFailure } from "#core/database";
import { type Clock, canonicalJson, err, ok, type Result } from "#core/values";
import { logMigrations, sql } from "#log";
import type { SeenCheckpoint } from "../../memory/kept-checkpoint.ts";
import { type AnchoredHead, type Anchors, answerTo, type NewLeaf, sortLeaves } from "../anchor-leaf.ts";
import { isSignedBy, notSigned, sealCheckpoint } from "../checkpoint.ts";
import { keyChanged, type SigningKey } from "../signing-key.ts";
import { type Succession, sealSuccession, succeededMeanwhile } from "../succession.ts";
import { AnchorReader } from "./anchor-reader.ts";
import { grow, headOfRow, lockAnchorEnd, writeAnchors } from "./anchor-tree.ts";
import { copyAnchors } from "./copy-anchors.ts";
import { hasInheritedAnchors } from "./inherited-anchors.ts";

export interface PostgresAnchorsOptions {
  /** The workspace: an older Writ left its anchors there. */
  readonly root: string;
  readonly postgres: Postgres;
  readonly tenant?: string;
  readonly key: SigningKey;
  readonly clock: Clock;
  /** Gets each checkpoint that was written, once it is committed. */
  readonly onCheckpoint?: ((seen: SeenCheckpoint) => void) | undefined;
}

interface Waiting {
  readonly leaf: NewLeaf;
  readonly settle: (result: Result<void>) => void;
}

const beginAnchors = sql("begin-anchors");
const newestAnchors = sql("newest-anchors");
const readAnchors = sql("read-anchors");

/**
 * The anchor log of many machines: one tree for all of them, in the database, so that any can prove any session. Heads that
 * arrive while a batch is written form the next one, which shares one root, one signature and one commit.
 */
export class PostgresAnchors implements Anchors {
  readonly #options: PostgresAnchorsOptions;
  readonly #tenant: string;
  readonly #reader: AnchorReader;
  #waiting: Waiting[] = [];
  #isWriting = false;
  #begun: Promise<Result<void>> | undefined;

  constructor(options: PostgresAnchorsOptions) {
    this.#options = options;
    this.#tenant = options.tenant ?? options.postgres.address.tenant;
    this.#reader = new AnchorReader(options.postgres, this.#tenant);
  }

  add(leaf: NewLeaf): Promise<Result<void>> {
    return new Promise((settle) => {
      this.#waiting.push({ leaf, settle });
      if (!this.#isWriting) void this.#run();
    });
  }

  async standing(session_id: string): Promise<Result<AnchoredHead | undefined>> {
    const begun = await this.#begin();
    if (!begun.ok) return begun;
    const read = await this.#attempt(() => this.#reader.catchUp());
    if (!read.ok || !read.value.ok) return read.ok ? (read.value as Result<never>) : read;
    const { found } = this.#reader.heads;
    return found && !isSignedBy(found, this.#options.key)
      ? err(notSigned())
      : ok(this.#reader.heads.headOf(session_id));
  }

  /** As in the file: the old key's succession is in place before the new key signs anything. No other process anchors meanwhile. */
  async succeed(next: SigningKey, install: (succession: Succession) => void): Promise<Result<Succession>> {
    const { postgres, key, clock } = this.#options;
    const begun = await this.#begin();
    if (!begun.ok) return begun;
    let succession: Succession | undefined; // a retried transaction neither signs nor installs it twice
    const done = await this.#attempt(() =>
      postgres.transaction(async (transaction): Promise<Result<Succession>> => {
        const end = await lockAnchorEnd(transaction, this.#tenant);
        if (!end.ok) return end;
        const { tree } = end.value;
        // Installed by an attempt before this one, and another key came since: that one signs the root.
        if (succession && !next.isCurrent()) return ok(succession);
        if (!succession) {
          if (!key.isCurrent()) return err(succeededMeanwhile());
          succession = sealSuccession(key, next, tree.size, clock.now());
          install(succession);
        }
        const line = canonicalJson(sealCheckpoint(tree, next, clock.now()));
        writeAnchors(transaction, this.#tenant, end.value, { lines: [line], tree });
        return ok(succession);
      }),
    );
    return done.ok ? done.value : done;
  }

  async #run(): Promise<void> {
    this.#isWriting = true;
    await Promise.resolve(); // sessions that close in the same turn of the event loop join the batch
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      const begun = await this.#begin();
      const written = begun.ok ? await this.#write(batch.map(({ leaf }) => leaf)) : begun;
      for (const { leaf, settle } of batch) settle(answerTo(leaf, written));
    }
    this.#isWriting = false;
  }

  #begin(): Promise<Result<void>> {
    const { postgres } = this.#options;
    this.#begun ??= migratePostgres(postgres, "log", logMigrations).then(async (migrated) => {
      const begun = migrated.ok ? await this.#attempt(() => postgres.rows(beginAnchors, [this.#tenant])) : migrated;
      const inherited = begun.ok ? await this.#inherit() : begun;
      if (!inherited.ok) this.#begun = undefined; // the next batch tries again
      return inherited;
    });
    return this.#begun;
  }

  /** The tree of a workspace goes on where it stood before anchors came into the database. */
  async #inherit(): Promise<Result<void>> {
    const { root, postgres } = this.#options;
    const inherited = await this.#attempt(async () => {
      const [first] = await postgres.rows(readAnchors, [this.#tenant, 0, 1]);
      return !first && (await hasInheritedAnchors(root, postgres, this.#tenant));
    });
    if (!inherited.ok || !inherited.value) return inherited.ok ? ok(undefined) : inherited;
    const copied = await copyAnchors(root, postgres);
    return copied.ok ? ok(undefined) : copied;
  }

  /** Returns the leaves that were refused. */
  async #write(leaves: readonly NewLeaf[]): Promise<Result<ReadonlySet<NewLeaf>>> {
    const { postgres, key, clock, onCheckpoint } = this.#options;
    let seen: SeenCheckpoint | undefined;
    const written = await this.#attempt(() =>
      postgres.transaction(async (transaction): Promise<Result<ReadonlySet<NewLeaf>>> => {
        seen = undefined; // what an attempt before this one would have written
        const locking = lockAnchorEnd(transaction, this.#tenant);
        const finding = transaction.rows(newestAnchors, [
          this.#tenant,
          [...new Set(leaves.map((leaf) => leaf.session_id))],
        ]);
        const end = await locking;
        if (!end.ok) return end;
        if (!key.isCurrent()) return err(keyChanged()); // asked under the lock: no process changes it meanwhile
        const newest = new Map((await finding).map((row) => [row[0], row]));
        const { fresh, refused } = sortLeaves(leaves, (session_id) => headOfRow(newest.get(session_id)));
        if (fresh.length === 0) return ok(refused);
        const tree = end.value.tree.copy();
        const leafLines = grow(tree, fresh);
        const checkpoint = canonicalJson(sealCheckpoint(tree, key, clock.now()));
        const lines = [...leafLines, checkpoint];
        seen = { line: checkpoint, in: "database", at: end.value.lines + lines.length };
        writeAnchors(transaction, this.#tenant, end.value, { lines, tree });
        return ok(refused);
      }),
    );
    if (written.ok && written.value.ok && seen) onCheckpoint?.(seen);
    return written.ok ? written.value : written;
  }

  async #attempt<T>(work: () => Promise<T>): Promise<Result<T>> {
    try {
      return ok(await this.#options.postgres.retrying(work));
    } catch (thrown) {
      return err({ ...postgresFailure(thrown), code: "LEDGER_UNAVAILABLE" });
    }
  }
}
