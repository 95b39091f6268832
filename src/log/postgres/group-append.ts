import type { Postgres, Row } from "#core/database";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, err } from "#core/values";
import type { Event } from "../event.ts";
import type { Entry } from "../sealed-event.ts";
import type { PostgresSession } from "./postgres-session.ts";
import { sql } from "./sql.ts";

interface Line {
  readonly session: PostgresSession;
  readonly text: string;
  readonly entry: Entry;
}

export interface GroupAppendOptions {
  readonly postgres: Postgres;
  readonly tenant: string;
  readonly writer_id: string;
  readonly clock: Clock;
  readonly batchBytes: number;
  readonly idleMs: number;
}

const appendLines = sql("append-lines");
const readHeads = sql("read-heads");

/**
 * Appends the events of many sessions in one transaction. The statement that writes them also checks the owner of each
 * session, by writer, epoch and head: a writer that was suspended and lost its session cannot append to it.
 */
export class GroupAppend {
  readonly #options: GroupAppendOptions;
  #waiting: Line[] = [];
  #running: Promise<void> | undefined;
  #scheduled = false;
  #cancelIdle: (() => void) | undefined;
  #ended: DomainError | undefined;

  constructor(options: GroupAppendOptions) {
    this.#options = options;
  }

  get ended(): DomainError | undefined {
    return this.#ended;
  }

  /**
   * Adds a line to the gathering batch. A line whose caller waits starts the write; others are written along, or after
   * `idleMs`.
   */
  put(line: Line): void {
    this.#waiting.push(line);
    if (line.entry.settle) this.#schedule();
    else
      this.#cancelIdle ??= this.#options.clock.after(this.#options.idleMs, () => {
        this.#cancelIdle = undefined;
        this.#schedule();
      });
  }

  /** Makes durable whatever was added until now. */
  async settle(): Promise<void> {
    if (this.#waiting.length > 0) this.#schedule();
    while (this.#scheduled || this.#running) await (this.#running ?? Promise.resolve());
  }

  end(error: DomainError): void {
    this.#ended ??= error;
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
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
    // Nothing is awaited between the last check of `#waiting` and `#running = undefined`, so no line is left behind.
    while (this.#waiting.length > 0) {
      this.#cancelIdle?.();
      this.#cancelIdle = undefined;
      await this.#write(this.#take());
    }
    this.#running = undefined;
  }

  #take(): readonly Line[] {
    let bytes = 0;
    let count = 0;
    for (const line of this.#waiting) {
      bytes += line.entry.end;
      if (count > 0 && bytes > this.#options.batchBytes) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(batch: readonly Line[]): Promise<void> {
    const bySession = new Map<PostgresSession, Line[]>();
    for (const line of batch) {
      const lines = bySession.get(line.session);
      if (lines) lines.push(line);
      else bySession.set(line.session, [line]);
    }
    try {
      const standing = await this.#append(bySession);
      for (const [session, lines] of bySession)
        if (standing.has(session.state.session_id)) commit(session, lines);
        else this.#fail([session], lines, takenOver(session.state.session_id), true);
    } catch (thrown) {
      const error = domainError("LEDGER_UNAVAILABLE", `the event could not be written: ${messageOf(thrown)}`, {
        retryable: true,
        cause: thrown,
      });
      this.#fail([...bySession.keys()], batch, error, false);
    }
  }

  /** Returns the sessions whose lines are stored, by this attempt or by an earlier one whose answer was lost. */
  #append(bySession: ReadonlyMap<PostgresSession, readonly Line[]>): Promise<ReadonlySet<string>> {
    const { postgres, tenant, writer_id } = this.#options;
    const said = [...bySession].map(([session, lines]) => ({ session, first: lines[0], last: lines.at(-1) }));
    const lines = [...bySession.values()].flat();
    const targets = new Map(said.map(({ session, last }) => [session.state.session_id, { session, last }]));
    return postgres.retrying(async () => {
      const rows = await postgres.rows(appendLines, [
        tenant,
        writer_id,
        said.map(({ session }) => session.state.session_id),
        said.map(({ session }) => session.state.tier),
        said.map(({ session }) => session.epoch),
        said.map(({ first }) => (first?.entry.event.seq ?? 1) - 1),
        said.map(({ last }) => last?.entry.event.seq),
        said.map(({ last }) => last?.entry.event.hash),
        said.map(({ last }) => last?.entry.event.type === "session.close"),
        lines.map(({ session }) => session.state.session_id),
        lines.map(({ entry }) => entry.event.seq),
        lines.map(({ text }) => text),
      ]);
      const standing = new Set(rows.map(([id]) => id as string));
      const unsure = [...targets.keys()].filter((id) => !standing.has(id));
      if (unsure.length === 0) return standing;
      for (const row of await postgres.rows(readHeads, [tenant, unsure]))
        if (isAt(row, writer_id, targets.get(row[0] as string))) standing.add(row[0] as string);
      return standing;
    });
  }

  /**
   * Fails every append of the batch, and those of the same sessions that gathered after it: their chains build on it.
   */
  #fail(sessions: readonly PostgresSession[], lines: readonly Line[], error: DomainError, forfeit: boolean): void {
    const failed = new Set(sessions);
    const behind = this.#waiting.filter((line) => failed.has(line.session));
    this.#waiting = this.#waiting.filter((line) => !failed.has(line.session));
    for (const session of failed) {
      session.rollback();
      if (forfeit) session.forfeit(error);
    }
    for (const { session, entry } of [...lines, ...behind])
      if (entry.settle) entry.settle(err(error));
      else session.recorder?.lose(error);
  }
}

function isAt(
  [, epoch, writer, seq, hash]: Row,
  writer_id: string,
  target: { readonly session: PostgresSession; readonly last: Line | undefined } | undefined,
): boolean {
  if (!target?.last) return false;
  const { session, last } = target;
  return (
    epoch === session.epoch && writer === writer_id && seq === last.entry.event.seq && hash === last.entry.event.hash
  );
}

function commit(session: PostgresSession, lines: readonly Line[]): void {
  session.committed(lines.map(({ entry }) => entry));
  for (const { entry } of lines) entry.settle?.({ ok: true, value: entry.event as unknown as Event });
}

function takenOver(session_id: string): DomainError {
  return domainError(
    "LEASE_LOST",
    `the session ${session_id} is not ours any more: another process took it over while this one did not answer. Nothing was written`,
    { details: { session_id } },
  );
}
