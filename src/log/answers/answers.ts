import { type Event } from "../event.ts";
import { isEvent } from "../narrow-event.ts";
import { type AllowedBy, AllowedByFold } from "./allowed-by.ts";
import { type Cost, CostFold } from "./cost.ts";
import { type Listed } from "./gathered.ts";
import { SawFold, type Seen } from "./saw.ts";
import { type Written, WroteFold } from "./wrote.ts";

/** Who allowed it, what did it see, what did it write, what did it cost: each item names its event. */
export interface Answers {
  readonly allowed_by: Listed<AllowedBy>;
  readonly saw: Listed<Seen>;
  readonly wrote: Listed<Written>;
  readonly cost: Cost;
}

/** How a session stands by its record alone. */
export interface Standing {
  /** The halt that stopped it, while it was not resumed since. */
  readonly halted: { readonly by: string; readonly reason: string; readonly at: string } | null;
  /** Files that wait in quarantine for a person. */
  readonly quarantined: number;
  /** The verdict of the last review: of a reviewer, or of several together. */
  readonly review: "pass" | "fail" | null;
}

/** The four answers of one session, folded from its events in their order. One fold for the terminal, the API and the studio. */
export class AnswersFold {
  readonly #allowed = new AllowedByFold();
  readonly #saw = new SawFold();
  readonly #wrote = new WroteFold();
  readonly #cost = new CostFold();
  #halted: Standing["halted"] = null;
  #review: Standing["review"] = null;

  add(event: Event): void {
    for (const fold of [this.#allowed, this.#saw, this.#wrote, this.#cost]) fold.add(event);
    if (isEvent(event, "session.halted")) {
      const { by, reason } = event.payload;
      this.#halted = { by, reason, at: event.ts };
    } else if (isEvent(event, "session.resumed")) this.#halted = null;
    else if (isEvent(event, "review.result")) this.#review = event.payload.verdict;
    else if (isEvent(event, "workflow.judged") && event.payload.aggregate)
      this.#review = event.payload.aggregate.verdict === "fail" ? "fail" : "pass";
  }

  answers(): Answers {
    return {
      allowed_by: this.#allowed.list(),
      saw: this.#saw.list(),
      wrote: this.#wrote.list(),
      cost: this.#cost.cost(),
    };
  }

  standing(): Standing {
    return { halted: this.#halted, quarantined: this.#wrote.quarantined(), review: this.#review };
  }
}
