import type { SessionInfo } from "../api/types.ts";
import type { StateName } from "../ui/state.tsx";

const byStatus: Readonly<Record<string, StateName>> = {
  success: "done",
  failure: "failed",
  timeout: "failed",
  rejected: "denied",
  budget_exhausted: "denied",
  waiting: "waiting",
  in_doubt: "doubt",
  halted: "waiting",
};

/** Titles of the sessions that the workspace records by itself: they have no prompt. */
const ownRecords: Readonly<Record<string, string>> = {
  approval: "a decision of the inbox, recorded",
  intake: "work orders refused at the door",
};

export function askedOf({ asked, work_order_id, session_id }: SessionInfo): string {
  return asked ?? ownRecords[work_order_id ?? ""] ?? work_order_id ?? session_id;
}

export function stateOfSession(info: Pick<SessionInfo, "closed" | "ok" | "status" | "waiting">): {
  readonly name: StateName;
  readonly label: string;
} {
  const status = info.status?.replaceAll("_", " ");
  if (!info.closed && info.waiting) return { name: "waiting", label: "waits for a person" };
  if (!info.closed)
    return info.status && byStatus[info.status]
      ? { name: byStatus[info.status] ?? "running", label: status ?? "" }
      : { name: "running", label: "running" };
  const name = byStatus[info.status ?? ""] ?? (info.ok ? "done" : "failed");
  return { name, label: name === "done" ? "done" : status === "failure" ? "failed" : (status ?? name) };
}
