import { type Event, inOrder, isEvent, type RecordedSession } from "#log";
import { everyHaltLifted, haltAct } from "../halt-control.ts";
import { isRaised } from "../halt-rank.ts";
import type { StandingHalt } from "./halt-store.ts";

/**
 * The halts that stand. What a halted session says of itself does not count: only who held the switch does. A record that
 * does not say that every halt was lifted lifted one; where an older Writ meant all of them, those of sessions stand again.
 */
export class HaltsFromEvents {
  readonly #acts: { readonly event: Event; readonly about: string | null }[] = [];

  read({ start, events }: RecordedSession): void {
    if (start.work_order_id !== haltAct || start.framework_id !== undefined) return;
    const about = start.parent_session_id ?? null;
    for (const event of events)
      if (event.type === "session.halted" || event.type === "session.resumed") this.#acts.push({ event, about });
  }

  rebuilt(): readonly StandingHalt[] {
    const standing = new Map<string | null, StandingHalt>();
    for (const { event, about } of inOrder(this.#acts)) {
      if (isEvent(event, "session.halted")) {
        const { by, reason, grants = null } = event.payload;
        const prefix = `${about}: `;
        const said = about !== null && reason.startsWith(prefix) ? reason.slice(prefix.length) : reason;
        const before = standing.get(about);
        if (!before || isRaised(before, grants))
          standing.set(about, { session_id: about, by, reason: said, halted_at: event.ts, grants });
      } else if (isEvent(event, "session.resumed")) {
        if (event.payload.reason === everyHaltLifted) standing.clear();
        else standing.delete(about);
      }
    }
    return [...standing.values()];
  }
}
