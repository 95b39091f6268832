import type { Event } from "#log";
import type { ValueRights } from "./declarations.ts";
import { SessionValues } from "./session-values.ts";

/** A session that another one rests on, or the session itself. */
export interface RelatedSession {
  readonly values: SessionValues;
  /** Whether its request and messages are a person's words. */
  readonly speaks: boolean;
}

/** Where a session has its place among the others. Its values are known once its events were handed in. */
interface Node {
  readonly role: "own" | "above" | "earlier" | "below";
  readonly session_id: string;
  values: SessionValues | undefined;
  speaks: boolean;
  before: Node | undefined;
  readonly below: Node[];
}

interface Wanted {
  readonly session_id: string;
  readonly take: (events: readonly Event[], rights: ValueRights) => void;
}

/**
 * The sessions that a session rests on, by reference: the one that handed its order down, as it was then; those whose
 * conversation it goes on with; and the orders that it handed down, once they have ended.
 *
 *     earlier … earlier ── above ── own ── below, below …
 */
export class Related {
  readonly #own: Node;
  readonly #wanted: Wanted[] = [];
  readonly #missing: string[] = [];
  #prompt: string | undefined;
  /** The request of the order below from which the session was forked: that one is no person's. */
  #handedDown: string | undefined;

  constructor(values: SessionValues) {
    this.#own = { role: "own", session_id: "", values, speaks: true, before: undefined, below: [] };
  }

  see(event: Event): void {
    if (event.type === "session.start") this.#follow(this.#own, event, event.session_id);
    if (event.type === "wo.started") {
      const { prompt } = (event.payload.work_order["input"] ?? {}) as { readonly prompt?: unknown };
      this.#prompt = typeof prompt === "string" ? prompt : undefined;
      this.#settle();
    }
    if (event.type === "delegation.ended") this.#addBelow(this.#own, event);
  }

  get wants(): string | undefined {
    return this.#wanted[0]?.session_id;
  }

  give(session_id: string, events: readonly Event[] | undefined, rights: ValueRights): void {
    const wanted = this.#wanted[0];
    if (wanted?.session_id !== session_id) return;
    this.#wanted.shift();
    if (events === undefined || events.length === 0) this.#missing.push(session_id);
    else wanted.take(events, rights);
  }

  /** What was wanted and could not be had. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** In the order of their conversation, and at its end what was handed down. */
  get all(): readonly RelatedSession[] {
    return [...chainOf(this.#own), ...below(this.#own)].flatMap(({ values, speaks }) =>
      values ? [{ values, speaks }] : [],
    );
  }

  /** The session's own order and those above it. */
  get ordersAbove(): readonly SessionValues[] {
    return chainOf(this.#own)
      .filter(({ role, speaks }) => role === "above" || (role === "own" && speaks))
      .flatMap(({ values }) => (values ? [values] : []));
  }

  /** Finds what a session rests on by its first event. */
  #follow(node: Node, { payload }: Event<"session.start">, session_id: string): void {
    const { parent_kind, parent_session_id, continues } = payload;
    if (parent_kind === "child") {
      node.speaks = false;
      if (parent_session_id === undefined) this.#missing.push(`the order above ${session_id}`);
      else this.#wantAbove(node, parent_session_id, session_id);
    } else if (parent_kind === "fork" && parent_session_id !== undefined) this.#wantForked(node, parent_session_id);
    if (continues !== undefined) this.#wantEarlier(node, continues);
  }

  /** The order above, up to the moment at which it handed this one down. */
  #wantAbove(node: Node, parent: string, child: string): void {
    const above = nodeOf("above", parent);
    node.before = above;
    this.#want(above, (events) => {
      const handed = events.findIndex(
        ({ type, payload }) => type === "delegation.made" && payload.child_session_id === child,
      );
      return handed < 0 ? undefined : events.slice(0, handed + 1);
    });
  }

  /** A fork has its own record of all that its parent did; whose words its request is, it has from its parent. */
  #wantForked(node: Node, forked: string): void {
    this.#wanted.push({
      session_id: forked,
      take: (events) => {
        const start = events.find((event) => event.type === "session.start");
        if (!start) return;
        const { parent_kind, parent_session_id } = start.payload;
        if (parent_kind === "fork" && parent_session_id !== undefined) this.#wantForked(node, parent_session_id);
        if (parent_kind !== "child" || parent_session_id === undefined) return;
        const started = events.find((event) => event.type === "wo.started");
        const { prompt } = (started?.payload.work_order["input"] ?? {}) as { readonly prompt?: unknown };
        if (node === this.#own) {
          this.#handedDown = typeof prompt === "string" ? prompt : "";
          this.#settle();
        } else node.speaks = false;
        this.#wantAbove(node, parent_session_id, start.session_id);
      },
    });
  }

  #settle(): void {
    if (this.#handedDown !== undefined) this.#own.speaks = this.#prompt !== this.#handedDown;
  }

  #wantEarlier(node: Node, session_id: string): void {
    const earlier = nodeOf("earlier", session_id);
    node.before = earlier;
    this.#want(earlier, (events) => events);
  }

  #addBelow(node: Node, { payload }: Event<"delegation.ended">): void {
    if (payload.child_session_id === null) return;
    const ended = nodeOf("below", payload.child_session_id);
    ended.speaks = false;
    node.below.push(ended);
    this.#want(ended, (events) => events);
  }

  #want(node: Node, part: (events: readonly Event[]) => readonly Event[] | undefined): void {
    const { session_id } = node;
    this.#wanted.push({
      session_id,
      take: (events, rights) => {
        const counted = part(events);
        if (!counted) return void this.#missing.push(session_id);
        node.values = new SessionValues({ session_id, rights });
        for (const event of counted) {
          node.values.see(event);
          // What is below rests on this session; what is above another one is above this one too.
          if (event.type === "session.start" && node.role !== "below") this.#follow(node, event, session_id);
          if (event.type === "delegation.ended") this.#addBelow(node, event);
        }
      },
    });
  }
}

function nodeOf(role: Node["role"], session_id: string): Node {
  return { role, session_id, values: undefined, speaks: true, before: undefined, below: [] };
}

/** From the oldest on, each with what it handed down, but for the last. */
function chainOf(last: Node): readonly Node[] {
  const chain: Node[] = [];
  const seen = new Set<string>();
  for (let node: Node | undefined = last; node && !seen.has(node.session_id); node = node.before) {
    seen.add(node.session_id);
    chain.push(...(node === last ? [] : below(node).toReversed()), node);
  }
  return chain.toReversed();
}

function below(node: Node): readonly Node[] {
  return node.below.flatMap((each) => [each, ...below(each)]);
}
