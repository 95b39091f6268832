import type { Event } from "#log";

/** Where a request can stand while it is not at its end. */
const underWay: ReadonlySet<string> = new Set(["LEAD", "ADVISE", "PLAN", "WORK", "REWORK", "REVIEW"]);

/**
 * Checks that the record holds every transition of a request: it begins at INTAKE, each transition starts in the state where the
 * last one ended, work is reported before it is reviewed, and a request that closes as done has reached its end.
 */
export class RecordedPath {
  #state: string | undefined;
  /** Whether #state is where the request stands, and not one of a cycle's personas. */
  #isOwn = false;
  #isReported = false;

  /** What is missing before this event; undefined when all is well. */
  add(event: Event): string | undefined {
    switch (event.type) {
      case "worker.report":
        this.#isReported = true;
        return undefined;
      case "agent.transition":
        return this.#move(event);
      case "session.close":
        if (!event.payload.ok || !this.#isOwn || !underWay.has(this.#state ?? "")) return undefined;
        return `the session closes as done, and its request stands at ${this.#state}: how it came to its end is missing`;
      default:
        return undefined;
    }
  }

  /** A new request within the session, and each persona of a cycle, begins at INTAKE. */
  #move({ payload: { from, to, agent_id } }: Event<"agent.transition">): string | undefined {
    const before = this.#state;
    const isReported = this.#isReported;
    this.#state = to;
    this.#isOwn = agent_id === undefined;
    if (to === "REVIEW") this.#isReported = false;
    if (from !== "INTAKE" && before === undefined)
      return `the move from ${from} to ${to} is the first, and nothing says how the request came to ${from}`;
    if (from !== "INTAKE" && from !== before)
      return `the move from ${from} to ${to} does not go on from ${before}, where the last one ended`;
    if (to === "REVIEW" && !isReported) return `the move from ${from} to REVIEW has no worker's report before it`;
    return undefined;
  }
}
