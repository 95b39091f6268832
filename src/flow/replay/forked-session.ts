import type { RecordedPast, SessionLog } from "#events";

/** A session of its own, which knows what its parent did up to the point where it was forked. */
export function forkedSession(live: SessionLog, past: RecordedPast): SessionLog {
  return {
    session_id: live.session_id,
    tier: live.tier,
    past,
    get head() {
      return live.head;
    },
    append: (input) => live.append(input),
    stage: (input) => live.stage(input),
    close: (input) => live.close(input),
    release: () => live.release(),
  };
}
