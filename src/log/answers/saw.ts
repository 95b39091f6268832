import { type Event } from "../event.ts";
import { isEvent } from "../narrow-event.ts";
import { Gathered, type Listed, mostItems } from "./gathered.ts";

/** Something that an agent was given to read, with the event where it first was. */
export interface Seen {
  readonly seq: number;
  readonly kind: "file" | "context" | "output" | "skill" | "rules" | "thread";
  /** The path of a file, the origin of a fragment, the tool of an output. */
  readonly name: string;
  /** How far it is trusted; null where the record does not say. */
  readonly trust: string | null;
  readonly hash: string | null;
  readonly times: number;
}

type Read = { readonly path: string; readonly sha256: string };

/** What a session saw: files that tools read, fragments of context, outputs of tools, skills, rules, earlier messages. */
export class SawFold {
  readonly #seen = new Gathered<Seen>();
  /** What each call read: its output, which says how far it is trusted, comes after. */
  readonly #reads = new Map<string, { readonly seq: number; readonly files: readonly Read[] }>();

  add(event: Event): void {
    const { seq } = event;
    if (isEvent(event, "attention.assembled"))
      for (const { origin, trust, source_hash, hash } of event.payload.fragments) {
        const isFile = origin.startsWith("file:");
        const name = isFile ? origin.slice("file:".length) : origin;
        this.#add(seq, { kind: isFile ? "file" : "context", name, trust, hash: source_hash ?? hash });
      }
    else if (isEvent(event, "tool.result")) {
      const { call_id, reads } = event.payload;
      if (reads) this.#reads.set(call_id, { seq, files: reads });
    } else if (isEvent(event, "tool.output")) {
      const { call_id, name, trust, content_hash, shown } = event.payload;
      this.#filesOf(call_id, trust);
      if (shown) this.#add(seq, { kind: "output", name, trust, hash: content_hash ?? null });
    } else if (isEvent(event, "skill.invoke")) {
      const { source, hash = null } = event.payload;
      this.#add(seq, { kind: "skill", name: source, trust: "trusted", hash });
    } else if (isEvent(event, "skill.loaded")) {
      const { source, hash } = event.payload;
      this.#add(seq, { kind: "skill", name: source, trust: "trusted", hash });
    } else if (isEvent(event, "strategy.chosen"))
      for (const { path, sha256 } of event.payload.house_rules?.files ?? [])
        this.#add(seq, { kind: "rules", name: path, trust: null, hash: sha256 });
    else if (isEvent(event, "session.start")) {
      const { continues, conversation_hash = null } = event.payload;
      if (typeof continues === "string")
        this.#add(seq, { kind: "thread", name: continues, trust: null, hash: conversation_hash });
    }
  }

  list(): Listed<Seen> {
    const { items, count } = this.#seen.list();
    // Calls whose output has not come: what they read was read.
    const open = [...this.#reads.values()].flatMap(({ seq, files }) =>
      files.map(({ path, sha256 }) => ({
        seq,
        kind: "file" as const,
        name: path,
        trust: null,
        hash: sha256,
        times: 1,
      })),
    );
    return { items: [...items, ...open].slice(0, mostItems), count: count + open.length };
  }

  #filesOf(call_id: string, trust: string): void {
    const found = this.#reads.get(call_id);
    this.#reads.delete(call_id);
    for (const { path, sha256 } of found?.files ?? [])
      this.#add(found?.seq ?? 0, { kind: "file", name: path, trust, hash: sha256 });
  }

  #add(seq: number, { kind, name, trust, hash }: Omit<Seen, "seq" | "times">): void {
    this.#seen.add([kind, name, trust, hash], (before) =>
      before ? { ...before, times: before.times + 1 } : { seq, kind, name, trust, hash, times: 1 },
    );
  }
}
