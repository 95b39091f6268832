import { type Clock, coalesce, ok } from "#core/values";
import type { Halt, Halts } from "./halts.ts";
import type { HaltStore, StandingHalt } from "./store/halt-store.ts";

/** How often running flows look at the switch: with the cancelling of calls, a halt takes hold well within a second. */
const pollMs = 200;

/** The kill switch of a workspace: rows in the shared store, which every process at work looks at. */
export function haltSwitch(store: HaltStore, clock: Clock): Halts {
  const watched = new Map<string, Set<(halt: Halt) => void>>();
  let cancel: (() => void) | undefined;
  const look = coalesce(() => store.halts());

  const poll = async (): Promise<void> => {
    cancel = undefined;
    const halts = await store.halts();
    // A store that does not answer halts nothing by itself: the next effect asks it again, and fails closed.
    if (halts.ok)
      for (const [session_id, listeners] of watched) {
        const halt = reaching(session_id, halts.value);
        if (halt) for (const listener of listeners) listener(halt);
      }
    if (watched.size > 0) cancel ??= clock.after(pollMs, () => void poll());
  };
  return {
    async standing(session_id) {
      const halts = await look("halts");
      return halts.ok ? ok(reaching(session_id, halts.value)) : halts;
    },
    watch(session_id, onHalt) {
      const listeners = watched.get(session_id) ?? new Set();
      watched.set(session_id, listeners.add(onHalt));
      cancel ??= clock.after(pollMs, () => void poll());
      return () => {
        listeners.delete(onHalt);
        if (listeners.size === 0) watched.delete(session_id);
        if (watched.size > 0) return;
        cancel?.();
        cancel = undefined;
      };
    },
  };
}

function reaching(session_id: string | null, halts: readonly StandingHalt[]): Halt | undefined {
  const halt = halts.find((each) => each.session_id === null || each.session_id === session_id);
  return halt && { by: halt.by, reason: halt.reason, scope: halt.session_id === null ? "workspace" : "session" };
}
