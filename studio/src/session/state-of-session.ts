import type { SessionInfo, SessionState } from "../api/types.ts";
import type { StateName } from "../ui/state.tsx";

/** Titles of the sessions that the workspace records by itself: they have no prompt. */
const ownRecords: Readonly<Record<string, string>> = {
  approval: "a decision of the inbox, recorded",
  intake: "work orders refused at the door",
  halt: "the kill switch, recorded",
};

export function askedOf({ asked, work_order_id, session_id }: SessionInfo): string {
  return asked ?? ownRecords[work_order_id ?? ""] ?? work_order_id ?? session_id;
}

const shapes: Readonly<Record<SessionState, StateName>> = {
  running: "running",
  waiting: "waiting",
  halted: "halted",
  interrupted: "interrupted",
  done: "done",
  failed: "failed",
  refused: "denied",
  in_doubt: "doubt",
  quarantined: "quarantined",
};

/** As the server says it: whether a process is at work on a session stands in no event of it. */
export function stateOfSession(info: Pick<SessionInfo, "state" | "closed" | "ok" | "status">): {
  readonly name: StateName;
  readonly label: string;
} {
  const state = info.state ?? (info.closed ? (info.ok ? "done" : "failed") : "interrupted");
  return { name: shapes[state], label: labelOf(state, info) };
}

function labelOf(state: SessionState, { ok, status }: Pick<SessionInfo, "ok" | "status">): string {
  switch (state) {
    case "waiting":
      return "waits for a person";
    case "failed":
      if (ok === true) return "review failed";
      return status === null || status === "failure" ? "failed" : status.replaceAll("_", " ");
    case "refused":
      return status?.replaceAll("_", " ") ?? "refused";
    case "in_doubt":
      return "in doubt";
    case "quarantined":
      return "in quarantine";
    case "running":
    case "halted":
    case "interrupted":
    case "done":
      return state;
  }
}
