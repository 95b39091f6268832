import type { SchemaRegistry } from "#core/contracts";
import type { Result, SessionId } from "#core/values";
import { AnswersFold, type Standing } from "../answers/answers.ts";
import { type Event } from "../event.ts";
import { type LogReader, type SessionInfo } from "../event-log.ts";
import { type Snapshot } from "../fold/draft.ts";
import { replay } from "../fold/replay.ts";
import { askedOf, opening, recordedPrompt } from "../recorded-prompt.ts";
import type { SessionIndexes } from "./session-index.ts";

/** What a list shows of a session beyond its first and last event. */
export interface SessionCard {
  /** The prompt as the work order has it after the hooks; before them it is never written. */
  readonly asked: string | null;
  readonly tokens: number;
  readonly usd: number;
  /** The cycle that it went through. */
  readonly cycle_id: string | null;
  readonly standing: Standing;
}

const maxCards = 5_000;
/** A longer session is read on from its index, not from its beginning. */
const longSession = 1_000;

/** Cards of sessions, made on first use and kept until the session grows. */
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
    const { snapshot, asked, standing } = await (events <= longSession
      ? this.#short(session_id)
      : this.#long(session_id));
    if (!snapshot.ok) return { asked, tokens: 0, usd: 0, cycle_id: null, standing }; // the list counts damaged sessions
    const { cost, workflow } = snapshot.value;
    return { asked, tokens: cost.input + cost.output, usd: cost.usd, cycle_id: workflow?.cycle_id ?? null, standing };
  }

  /** Snapshot and prompt from one read. */
  async #short(session_id: SessionId): Promise<Looked> {
    let first: readonly Event[] = [];
    const answers = new AnswersFold();
    const reader = tapped(this.#reader, (batch) => {
      for (const event of batch) answers.add(event);
      if (first.length < opening) first = [...first, ...batch.slice(0, opening - first.length)];
    });
    const snapshot = await replay(session_id, { reader, schemas: this.#schemas, verify: false });
    return { snapshot, asked: recordedPrompt(first), standing: answers.standing() };
  }

  async #long(session_id: SessionId): Promise<Looked> {
    const index = await this.#indexes.of(session_id);
    const snapshot = index.ok ? await index.value.snapshot() : index;
    const standing = index.ok ? index.value.standing() : new AnswersFold().standing();
    return { snapshot, asked: await askedOf(session_id, this.#reader), standing };
  }
}

interface Looked {
  readonly snapshot: Result<Snapshot>;
  readonly asked: string | null;
  readonly standing: Standing;
}

function tapped(
  reader: Pick<LogReader, "readBatches">,
  onBatch: (batch: readonly Event[]) => void,
): Pick<LogReader, "readBatches"> {
  return {
    async *readBatches(session_id, options) {
      for await (const batch of reader.readBatches(session_id, options)) {
        if (batch.ok) onBatch(batch.value);
        yield batch;
      }
    },
  };
}
