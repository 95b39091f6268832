import { isJsonObject, type Result, type SessionId } from "#base";
import { type Event, type LogReader, replay, type SessionInfo, type Snapshot } from "#events";
import type { SchemaRegistry } from "#schemas";
import type { SessionIndexes } from "./session-index.ts";

/** What a list says of a session beyond its first and last event. */
export interface SessionCard {
  /** The prompt as the work order has it after the hooks; before them it is never written. */
  readonly asked: string | null;
  readonly tokens: number;
  readonly usd: number;
  /** The cycle that it went through. */
  readonly cycle_id: string | null;
}

const maxCards = 5_000;
/** A longer session is read on from where it was read last time, not from its beginning. */
const longSession = 1_000;
/** The work order stands among the first events of a session, or nowhere. */
const firstEvents = 32;

/** Cards of sessions, made when first looked at and kept until the session grows. */
export class SessionCards {
  readonly #reader: LogReader;
  readonly #schemas: SchemaRegistry;
  readonly #indexes: SessionIndexes;
  readonly #kept = new Map<SessionId, { readonly head: string; readonly card: Promise<SessionCard> }>();

  constructor(reader: LogReader, schemas: SchemaRegistry, indexes: SessionIndexes) {
    this.#reader = reader;
    this.#schemas = schemas;
    this.#indexes = indexes;
  }

  of(info: Pick<SessionInfo, "session_id" | "head_hash" | "events">): Promise<SessionCard> {
    const known = this.#kept.get(info.session_id);
    if (known?.head === info.head_hash) return known.card;
    const card = this.#make(info);
    if (this.#kept.size >= maxCards) this.#kept.clear();
    this.#kept.set(info.session_id, { head: info.head_hash, card });
    return card;
  }

  async #make({ session_id, events }: Pick<SessionInfo, "session_id" | "events">): Promise<SessionCard> {
    const { snapshot, asked } = await (events <= longSession ? this.#short(session_id) : this.#long(session_id));
    if (!snapshot.ok) return { asked, tokens: 0, usd: 0, cycle_id: null }; // damaged ones are told apart elsewhere
    const { cost, workflow } = snapshot.value;
    return { asked, tokens: cost.input + cost.output, usd: cost.usd, cycle_id: workflow?.cycle_id ?? null };
  }

  /** One reading tells both. */
  async #short(session_id: SessionId): Promise<Looked> {
    let first: readonly Event[] = [];
    const reader = overheard(this.#reader, (batch) => {
      if (first.length < firstEvents) first = [...first, ...batch.slice(0, firstEvents - first.length)];
    });
    const snapshot = await replay(session_id, { reader, schemas: this.#schemas, verify: false });
    return { snapshot, asked: askedIn(first) };
  }

  async #long(session_id: SessionId): Promise<Looked> {
    const index = await this.#indexes.of(session_id);
    const snapshot = index.ok ? await index.value.snapshot() : index;
    let read = 0;
    for await (const found of this.#reader.read(session_id)) {
      if (!found.ok || ++read > firstEvents) break;
      if (found.value.type === "wo.started") return { snapshot, asked: askedIn([found.value]) };
    }
    return { snapshot, asked: null };
  }
}

interface Looked {
  readonly snapshot: Result<Snapshot>;
  readonly asked: string | null;
}

function overheard(
  reader: Pick<LogReader, "readBatches">,
  hear: (batch: readonly Event[]) => void,
): Pick<LogReader, "readBatches"> {
  return {
    async *readBatches(session_id, options) {
      for await (const batch of reader.readBatches(session_id, options)) {
        if (batch.ok) hear(batch.value);
        yield batch;
      }
    },
  };
}

/** What a session was asked for: the prompt; of a turn its query; of a worker's order what it is about. */
export function askedIn(events: readonly Event[]): string | null {
  const started = events.find(({ type }) => type === "wo.started") as Event<"wo.started"> | undefined;
  if (!started) return null;
  const { input, title, type } = started.payload.work_order;
  const given = isJsonObject(input) ? input : {};
  const turn = isJsonObject(given["turn"]) ? given["turn"] : {};
  for (const text of [given["prompt"], turn["query"], title]) if (typeof text === "string" && text !== "") return text;
  const { objective } = given;
  return typeof objective === "string" ? `${typeof type === "string" ? `${type}: ` : ""}${objective}` : null;
}
