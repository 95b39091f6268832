import type { SessionId } from "#base";
import { type Event, type LogReader, replay, type SessionInfo } from "#events";
import type { SchemaRegistry } from "#schemas";

/** What a list says of a session beyond its first and last event. */
export interface SessionCard {
  /** The prompt as the work order has it after the hooks; before them it is never written. */
  readonly asked: string | null;
  readonly tokens: number;
  readonly usd: number;
}

const maxCards = 5_000;
/** The work order stands among the first events of a session, or nowhere. */
const firstEvents = 32;

/** Cards of sessions, made when first looked at and kept until the session grows. */
export class SessionCards {
  readonly #reader: LogReader;
  readonly #schemas: SchemaRegistry;
  readonly #kept = new Map<SessionId, { readonly head: string; readonly card: Promise<SessionCard> }>();

  constructor(reader: LogReader, schemas: SchemaRegistry) {
    this.#reader = reader;
    this.#schemas = schemas;
  }

  of(info: Pick<SessionInfo, "session_id" | "head_hash">): Promise<SessionCard> {
    const known = this.#kept.get(info.session_id);
    if (known?.head === info.head_hash) return known.card;
    const card = this.#make(info.session_id);
    if (this.#kept.size >= maxCards) this.#kept.clear();
    this.#kept.set(info.session_id, { head: info.head_hash, card });
    return card;
  }

  async #make(session_id: SessionId): Promise<SessionCard> {
    const snapshot = await replay(session_id, { reader: this.#reader, schemas: this.#schemas, verify: false });
    const cost = snapshot.ok ? snapshot.value.cost : { input: 0, output: 0, usd: 0 }; // damaged ones are told apart elsewhere
    return { asked: await this.#asked(session_id), tokens: cost.input + cost.output, usd: cost.usd };
  }

  async #asked(session_id: SessionId): Promise<string | null> {
    let read = 0;
    for await (const found of this.#reader.read(session_id)) {
      if (!found.ok || ++read > firstEvents) return null;
      if (found.value.type === "wo.started") return askedIn([found.value]);
    }
    return null;
  }
}

export function askedIn(events: readonly Event[]): string | null {
  const started = events.find(({ type }) => type === "wo.started") as Event<"wo.started"> | undefined;
  const input = started?.payload.work_order["input"];
  const prompt = typeof input === "object" && input !== null && "prompt" in input ? input.prompt : undefined;
  return typeof prompt === "string" ? prompt : null;
}
