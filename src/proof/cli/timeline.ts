import {
  callText,
  type EntrySign,
  type Event,
  type EventKinds,
  type EventType,
  type GateMark,
  kindOf,
  resultText,
  type TimelineEntry,
  type TypedPayload,
} from "#log";

/** One line of a session's story, before it is drawn. */
export interface TimelineRow {
  readonly seq: number;
  /** Since the first event. */
  readonly atMs: number;
  /** How far it is indented: under the role or the event that caused it. */
  readonly depth: number;
  readonly kind: EntrySign;
  readonly text: string;
  gate?: GateMark;
  durationMs?: number;
  tokens?: number;
  usd?: number;
  /** A second line below: what came of it. */
  outcome?: string;
  isBad?: boolean;
  /** The events it was made of. */
  readonly seqs: number[];
  /** The same whole, for `--full`; else none. */
  readonly events: Event[];
}

type Entry<A extends TimelineEntry["as"]> = Extract<TimelineEntry, { readonly as: A }>;

const words = { call: callText, result: resultText };

/**
 * An event belongs to a row that an earlier one began if so many events lie between them at most: what is longer ago is not
 * kept in mind, so that memory does not grow with the session. What comes later stands in a row of its own.
 */
export const reach = 65_535;

/** For each row of a timeline how many events later its last event stands, two bytes a row. */
export class Spans {
  #spans = new Uint16Array(1_024);
  #count = 0;

  push(span: number): void {
    if (this.#count === this.#spans.length) {
      const longer = new Uint16Array(2 * this.#count);
      longer.set(this.#spans);
      this.#spans = longer;
    }
    this.#spans[this.#count++] = span;
  }

  of(row: number): number {
    return this.#spans[row] ?? reach;
  }
}

interface TimelineOptions {
  readonly keepsEvents: boolean;
  /** From an earlier reading of the same events: rows need not be held for what never comes. */
  readonly spans?: Spans;
}

/**
 * Turns events into rows: a request and its response are one, so are a call, the decision before it and its result. After
 * each event `settled` hands out, in order, the rows that no later one can change.
 */
export class Timeline {
  readonly #kinds: EventKinds;
  /** Rows that a later event may still change. */
  #held: TimelineRow[] = [];
  #next = 0;
  #settled = 0;
  #newest = 0;
  /** Rows to which later events belong, by sign and id. */
  readonly #opened = new Recent<TimelineRow>();
  readonly #depths = new Recent<number>();
  /** The newest decision about a name, to stand beside the call that it allowed. */
  readonly #permits = new Map<string, { readonly event: Event; readonly gate: GateMark }>();
  #model: TimelineRow | undefined;
  #start: number | undefined;
  #isInRole = false;

  readonly #keepsEvents: boolean;
  readonly #spans: Spans | undefined;

  constructor(kinds: EventKinds, { keepsEvents, spans }: TimelineOptions) {
    this.#kinds = kinds;
    this.#keepsEvents = keepsEvents;
    this.#spans = spans;
  }

  /** Those that no later event can change; with `all`, the others too: there is none. */
  *settled(all = false): Generator<TimelineRow> {
    for (; this.#next < this.#held.length; this.#next++) {
      const row = this.#held[this.#next] as TimelineRow;
      if (!all && this.#newest < row.seq + (this.#spans?.of(this.#settled) ?? reach)) break;
      this.#settled += 1;
      yield row;
    }
    if (2 * this.#next < this.#held.length) return;
    this.#held = this.#held.slice(this.#next);
    this.#next = 0;
  }

  add(event: Event): void {
    this.#start ??= Date.parse(event.ts);
    this.#newest = event.seq;
    this.#opened.moveTo(event.seq);
    this.#depths.moveTo(event.seq);
    const entry = this.#entryOf<EventType>(event);
    switch (entry.as) {
      case "row": {
        const { as: _, sign, text, isAtMargin = false, ...marks } = entry;
        this.#row(event, sign, text, { ...(isAtMargin ? { depth: 0 } : {}), ...marks });
        return;
      }
      case "role":
        return this.#role(event, entry);
      case "opening":
        return this.#open(event, entry);
      case "sequel":
        return this.#goOn(event, entry);
      case "permit":
        this.#permits.set(entry.name, { event, gate: entry.gate });
        return;
      case "conclusion":
        return this.#conclude(event, entry);
      case "nothing":
        return;
    }
  }

  /** A type that a newer Writ wrote is shown by its name. */
  #entryOf<T extends EventType>({ type, payload }: TypedPayload<T>): TimelineEntry {
    const kind = kindOf(this.#kinds, type);
    if (!kind) return { as: "row", sign: "note", text: type };
    const { entry } = kind.row;
    return entry === "left out" ? { as: "nothing" } : entry(payload, words);
  }

  #row(event: Event, kind: EntrySign, text: string, more: Partial<TimelineRow> = {}): TimelineRow {
    const depth = more.depth ?? this.#depthOf(event);
    const row: TimelineRow = {
      seq: event.seq,
      atMs: Date.parse(event.ts) - (this.#start ?? 0),
      depth,
      kind,
      text,
      seqs: [event.seq],
      events: this.#keepsEvents ? [event] : [],
      ...more,
    };
    this.#depths.set(event.id, depth);
    if (kind === "model") this.#model = row;
    this.#held.push(row);
    return row;
  }

  #role(event: Event, { as: _, end, ...marks }: Entry<"role">): void {
    this.#isInRole = end === null;
    this.#row(event, "role", end ?? event.actor, { depth: 0, ...marks });
  }

  #open(event: Event, { id, sign, text, permitFor }: Entry<"opening">): void {
    const row = this.#row(event, sign, text);
    this.#opened.set(`${sign} ${id}`, row);
    const permit = permitFor === undefined ? undefined : this.#permits.get(permitFor);
    if (permitFor === undefined || permit === undefined) return;
    this.#permits.delete(permitFor);
    row.gate = permit.gate;
    row.seqs.unshift(permit.event.seq);
    if (this.#keepsEvents) row.events.unshift(permit.event);
  }

  #goOn(event: Event, { id, sign, alone, as: _, otherwise, ...marks }: Entry<"sequel">): void {
    const opened = this.#opened.get(`${sign} ${id}`);
    const isJoined = isInReach(opened, event);
    const row = isJoined ? opened : alone === null ? undefined : this.#row(event, sign, alone);
    if (!row) return;
    if (isJoined) this.#join(row, event);
    Object.assign(row, marks);
    if (otherwise !== undefined) row.outcome ??= otherwise;
  }

  #join(row: TimelineRow, event: Event): void {
    row.seqs.push(event.seq);
    if (this.#keepsEvents) row.events.push(event);
  }

  #conclude(event: Event, { outcome, isBad }: Entry<"conclusion">): void {
    const row = this.#model;
    if (!isInReach(row, event)) return void this.#row(event, "work", event.type, { outcome });
    this.#join(row, event);
    row.outcome = outcome;
    if (isBad) row.isBad = true;
  }

  /** Under the event that caused it, where it names one; else under the role that is at work. */
  #depthOf(event: Event): number {
    const cause = event.parent_id === null ? undefined : this.#depths.get(event.parent_id);
    return cause === undefined ? (this.#isInRole ? 1 : 0) : cause + 1;
  }
}

function isInReach(row: TimelineRow | undefined, event: Event): row is TimelineRow {
  return row !== undefined && event.seq - row.seq <= reach;
}

/** What was set within reach of the newest event, and for a while longer. */
class Recent<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  #since = 0;

  moveTo(seq: number): void {
    if (seq - this.#since <= reach) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#since = seq;
  }

  get(key: string): T | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: T): void {
    this.#young.set(key, value);
  }
}
