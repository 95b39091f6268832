import type { SchemaRegistry } from "#core/contracts";
import { canonicalJson, ok, type Result, type SessionId } from "#core/values";
import { type Answers, AnswersFold, type Standing } from "../answers/answers.ts";
import { type Event, type EventType } from "../event.ts";
import { type EventKinds } from "../event-kind.ts";
import { type LogReader, type RawLine } from "../event-log.ts";
import { type Snapshot } from "../fold/draft.ts";
import { Fold } from "../fold/fold.ts";
import { replay } from "../fold/replay.ts";
import { type ChainMark } from "../line.ts";
import { isEvent } from "../narrow-event.ts";
import { isProblem, isRefusal } from "./trouble.ts";

/** Events between two marks: at most this many lines are read in vain. */
const marksEvery = 256;
const mostTrouble = 2_000;
const mostIdle = 2_000;
const mostBudgetPoints = 400;
const mostFragments = 200;
/** A longer wait is shown as one line. */
const idleMs = 60_000;

export interface Idle {
  /** The event that ended the wait. */
  readonly seq: number;
  readonly ms: number;
}

/** What was left of the order's tokens after something was spent; what is only set aside counts as left. */
export interface BudgetPoint {
  readonly seq: number;
  readonly ts: string;
  readonly left: number;
}

/** A piece of context that an agent was given, with the number of its event. */
export type Fragment = Event<"attention.assembled">["payload"]["fragments"][number] & { readonly seq: number };

export interface IndexSources {
  readonly reader: LogReader;
  readonly schemas: SchemaRegistry;
  /** They say which events are problems. */
  readonly kinds: EventKinds;
}

/**
 * What a page needs of a session without holding its events: marks to start reading from, denials and failures, idle times
 * and the fold. One pass over the lines; a session that grew is read on from its last mark.
 */
export class SessionIndex {
  readonly #session_id: SessionId;
  readonly #reader: LogReader;
  readonly #schemas: SchemaRegistry;
  readonly #kinds: EventKinds;
  readonly #marks: ChainMark[] = [];
  readonly #trouble: number[] = [];
  readonly #idle: Idle[] = [];
  readonly #fragments: Fragment[] = [];
  readonly #fold: Fold;
  readonly #answers = new AnswersFold();
  #budget: BudgetPoint[] = [];
  #left = 0;
  #mark: ChainMark | undefined;
  #lastAt = 0;
  #denied = 0;
  #busy: Promise<Result<void>> | undefined;

  constructor(session_id: SessionId, { reader, schemas, kinds }: IndexSources) {
    this.#session_id = session_id;
    this.#reader = reader;
    this.#schemas = schemas;
    this.#kinds = kinds;
    this.#fold = new Fold(session_id, schemas);
  }

  get events(): number {
    return this.#mark?.seq ?? 0;
  }

  get trouble(): readonly number[] {
    return this.#trouble;
  }

  get idle(): readonly Idle[] {
    return this.#idle;
  }

  /** Gates that stopped something; the normal end of a loop is none. */
  get denied(): number {
    return this.#denied;
  }

  get budget(): readonly BudgetPoint[] {
    return this.#budget;
  }

  get fragments(): readonly Fragment[] {
    return this.#fragments;
  }

  answers(): Answers {
    return this.#answers.answers();
  }

  standing(): Standing {
    return this.#answers.standing();
  }

  markBefore(seq: number): ChainMark | undefined {
    return this.#marks[Math.min(Math.floor(seq / marksEvery), this.#marks.length) - 1];
  }

  /** Reads new events. Concurrent calls share one read. */
  refresh(): Promise<Result<void>> {
    this.#busy ??= this.#readOn().finally(() => {
      this.#busy = undefined;
    });
    return this.#busy;
  }

  /** A correction follows the event that it corrects, so a session with one is folded again from its beginning. */
  async snapshot(): Promise<Result<Snapshot>> {
    return this.#fold.found.size === 0
      ? ok(this.#fold.snapshot())
      : replay(this.#session_id, { reader: this.#reader, schemas: this.#schemas, verify: false });
  }

  #readOn(): Promise<Result<void>> {
    return this.#mark ? this.#readAfter(this.#mark) : this.#readLines();
  }

  async #readLines(): Promise<Result<void>> {
    for await (const portion of this.#reader.readLines(this.#session_id)) {
      if (!portion.ok) return portion;
      for (const line of portion.value) {
        const event = eventIn(line);
        if (!event) return ok(undefined); // a damaged line ends what can be shown; the verifier names it
        const added = this.#add(event, Buffer.byteLength(line.text) + 1);
        if (!added.ok) return added;
      }
    }
    return ok(undefined);
  }

  async #readAfter(after: ChainMark): Promise<Result<void>> {
    for await (const batch of this.#reader.readBatches(this.#session_id, { after, verify: false })) {
      if (!batch.ok) return batch;
      for (const event of batch.value) {
        const added = this.#add(event, Buffer.byteLength(canonicalJson(event)) + 1);
        if (!added.ok) return added;
      }
    }
    return ok(undefined);
  }

  #add(event: Event, bytes: number): Result<void> {
    const added = this.#fold.add(event);
    if (!added.ok) return added;
    this.#answers.add(event);
    this.#mark = { seq: event.seq, hash: event.hash, bytes: (this.#mark?.bytes ?? 0) + bytes };
    if (event.seq % marksEvery === 0) this.#marks.push(this.#mark);
    if (isProblem<EventType>(event, this.#kinds)) {
      if (this.#trouble.length < mostTrouble) this.#trouble.push(event.seq);
      if (event.type === "hook.fired" || isRefusal(event)) this.#denied += 1;
    }
    if (isEvent(event, "budget.updated")) this.#spend(event);
    if (isEvent(event, "attention.assembled") && this.#fragments.length < mostFragments)
      this.#fragments.push(...event.payload.fragments.map((fragment) => ({ ...fragment, seq: event.seq })));
    const at = Date.parse(event.ts);
    if (this.#lastAt > 0 && at - this.#lastAt > idleMs && this.#idle.length < mostIdle)
      this.#idle.push({ seq: event.seq, ms: at - this.#lastAt });
    this.#lastAt = at;
    return ok(undefined);
  }

  #spend({ seq, ts, payload }: Event<"budget.updated">): void {
    const tokens = payload.input_tokens + payload.output_tokens;
    // The first allocation is the order's; what its personas get later is cut from it.
    if (payload.action === "allocate" && this.#budget.length > 0) return;
    if (payload.action === "allocate" || payload.action === "return") this.#left += tokens;
    else if (payload.action === "settle" || payload.action === "move") this.#left -= tokens;
    else return;
    this.#budget.push({ seq, ts, left: this.#left });
    // Every second point is enough for a line: the first and the last of them stay.
    if (this.#budget.length > mostBudgetPoints)
      this.#budget = [...this.#budget.slice(0, 1), ...this.#budget.slice(1).filter(isOdd)];
  }
}

function isOdd(_: unknown, index: number): boolean {
  return index % 2 === 1;
}

function eventIn({ text, fault }: RawLine): Event | undefined {
  if (fault !== undefined) return undefined;
  try {
    return JSON.parse(text) as Event;
  } catch {
    return undefined; // the caller stops here
  }
}

/** The indexes cover at most this many events together; the least recently used session is dropped first. */
const mostEvents = 1_000_000;

export class SessionIndexes {
  readonly #sources: IndexSources;
  readonly #kept = new Map<SessionId, SessionIndex>();

  constructor(sources: IndexSources) {
    this.#sources = sources;
  }

  /** The index of a session with everything that was recorded before the call. */
  async of(session_id: SessionId): Promise<Result<SessionIndex>> {
    const index = this.#kept.get(session_id) ?? new SessionIndex(session_id, this.#sources);
    this.#kept.delete(session_id); // and set again: the map keeps the order of use
    this.#kept.set(session_id, index);
    const read = await index.refresh();
    if (!read.ok) {
      this.#kept.delete(session_id);
      return read;
    }
    this.#forget();
    return ok(index);
  }

  #forget(): void {
    let events = [...this.#kept.values()].reduce((sum, index) => sum + index.events, 0);
    for (const [session_id, index] of this.#kept) {
      if (events <= mostEvents || this.#kept.size === 1) return;
      events -= index.events;
      this.#kept.delete(session_id);
    }
  }
}
