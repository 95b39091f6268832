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

/** Turns events into rows: a request and its response are one, so are a call, the decision before it and its result. */
export class Timeline {
  readonly rows: TimelineRow[] = [];
  readonly #kinds: EventKinds;
  /** Rows to which later events belong, by sign and id. */
  readonly #opened = new Map<string, TimelineRow>();
  readonly #depths = new Map<string, number>();
  /** The newest decision about a name, to stand beside the call that it allowed. */
  readonly #permits = new Map<string, { readonly event: Event; readonly gate: GateMark }>();
  #start: number | undefined;
  #isInRole = false;

  readonly #keepsEvents: boolean;

  constructor(kinds: EventKinds, { keepsEvents }: { readonly keepsEvents: boolean }) {
    this.#kinds = kinds;
    this.#keepsEvents = keepsEvents;
  }

  add(event: Event): void {
    this.#start ??= Date.parse(event.ts);
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
    this.rows.push(row);
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
    const row = this.#opened.get(`${sign} ${id}`) ?? (alone === null ? undefined : this.#row(event, sign, alone));
    if (!row) return;
    this.#join(row, event);
    Object.assign(row, marks);
    if (otherwise !== undefined) row.outcome ??= otherwise;
  }

  #join(row: TimelineRow, event: Event): void {
    row.seqs.push(event.seq);
    if (this.#keepsEvents) row.events.push(event);
  }

  #conclude(event: Event, { outcome, isBad }: Entry<"conclusion">): void {
    const row = this.rows.findLast(({ kind }) => kind === "model");
    if (!row) return void this.#row(event, "work", event.type, { outcome });
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
