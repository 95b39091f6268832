import type { SessionInfo } from "../event-log.ts";
import type { Standing } from "./answers.ts";

/**
 * How a session stands. `running` is only what a live process writes now; `interrupted` is open, and no process writes it:
 * its own was stopped or killed. `halted` and `interrupted` go on with a resume, `waiting` with an answer.
 */
export type SessionState =
  | "running"
  | "waiting"
  | "halted"
  | "interrupted"
  | "done"
  | "failed"
  | "refused"
  | "in_doubt"
  | "quarantined";

const refused: ReadonlySet<unknown> = new Set(["rejected", "budget_exhausted"]);

export function stateOf(
  { closed, ok, status }: Pick<SessionInfo, "closed" | "ok" | "status">,
  { halted, quarantined, review }: Standing,
  now: {
    /** A live process writes it. */
    readonly atWork: boolean;
    /** A question to a person is open. */
    readonly asked: boolean;
  },
): SessionState {
  if (!closed) {
    if (now.asked) return "waiting";
    if (halted) return "halted";
    return now.atWork ? "running" : "interrupted";
  }
  if (quarantined > 0 && now.asked) return "quarantined";
  if (status === "in_doubt") return "in_doubt";
  if (refused.has(status)) return "refused";
  return ok === true && review !== "fail" ? "done" : "failed";
}
