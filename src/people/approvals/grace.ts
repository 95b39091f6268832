import type { Clock } from "#core/values";

/** Decisions that were said and do not count yet: until their time is over the caller can take them back. */
export interface Grace {
  /** When it counts; undefined where nothing is under way in this process. */
  countsAt(approval_id: string): number | undefined;
  begin(approval_id: string, ms: number, count: () => void): void;
  /** False where it counts already. */
  cancel(approval_id: string): boolean;
  /** The caller presses the button of a question about these bytes. */
  press(approval_id: string, caller: string, subject_hash: string): void;
  heldFor(approval_id: string, caller: string, subject_hash: string): number | undefined;
}

/** Buttons that were pressed and never followed by a decision: the oldest is forgotten. */
const mostPressed = 1_000;
/** What was held longer ago than this was not held for the decision that comes now. */
const mostHeldMs = 120_000;

/** Known to this process alone: where it ends, nothing that waited here has happened, and it has to be said again. */
export function createGrace(clock: Clock, ending?: AbortSignal): Grace {
  const underWay = new Map<string, { readonly at: number; readonly stop: () => void }>();
  const pressed = new Map<string, number>();
  const nameOf = (...parts: readonly string[]) => JSON.stringify(parts);
  const forgetAll = () => {
    for (const { stop } of underWay.values()) stop();
    underWay.clear();
  };
  ending?.addEventListener("abort", forgetAll, { once: true });
  return {
    countsAt: (approval_id) => underWay.get(approval_id)?.at,
    begin(approval_id, ms, count) {
      if (ending?.aborted) return;
      const stop = clock.after(ms, () => {
        underWay.delete(approval_id);
        count();
      });
      underWay.set(approval_id, { at: clock.now() + ms, stop });
    },
    cancel(approval_id) {
      const found = underWay.get(approval_id);
      found?.stop();
      return underWay.delete(approval_id);
    },
    press(approval_id, caller, subject_hash) {
      const name = nameOf(approval_id, caller, subject_hash);
      pressed.delete(name);
      pressed.set(name, clock.monotonic());
      const [oldest] = pressed.keys();
      if (pressed.size > mostPressed && oldest !== undefined) pressed.delete(oldest);
    },
    heldFor(approval_id, caller, subject_hash) {
      const since = pressed.get(nameOf(approval_id, caller, subject_hash));
      const held = since === undefined ? undefined : clock.monotonic() - since;
      return held !== undefined && held <= mostHeldMs ? held : undefined;
    },
  };
}
