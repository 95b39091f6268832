import type { JsonObject } from "#base";
import type { Event } from "#events";
import type { ApprovalRequest } from "#governance";

/** A tool whose definition is no longer the approved one; what it is now has to be looked up. */
export interface ChangedTool {
  readonly tool: string;
  readonly session_id: string;
  readonly reason: string;
}

/** What an event leaves for a person to decide; undefined for nearly all of them. */
export function questionOf(event: Event, author: string): ApprovalRequest | undefined {
  const { session_id, seq } = event;
  const common = { author, session_id, occasion: `${session_id} ${seq}` };
  switch (event.type) {
    // Whoever asked for the work directly was asked in its session; here it belongs to a run, a cycle or a parent.
    case "review.escalated": {
      const { feedback, reason, rework_count } = event.payload;
      return {
        ...common,
        kind: "escalated_review",
        title: "A review did not pass, and rework is spent",
        reason,
        subject: { feedback, reason, rework_count, session_id },
        choices: ["acknowledge"],
      };
    }
    case "workflow.finding_routed": {
      const { payload } = event;
      const { route, outcome, title, severity, reason, by } = payload;
      // What was mended, and what somebody has said no to, waits for nobody.
      if (outcome === "applied" || by !== undefined || route === "advisory") return undefined;
      return {
        ...common,
        kind: "gated_finding",
        title: `${severity} ${title}`,
        reason: `${route}: ${reason}`,
        subject: { ...(payload as unknown as JsonObject), session_id },
      };
    }
    default:
      return undefined;
  }
}

/** A call that was refused because its tool is no longer the one that was approved. */
export function changedToolOf(event: Event): ChangedTool | undefined {
  if (event.type !== "tool.refused") return undefined;
  const { name, reason, pinned } = event.payload;
  // To look a changed tool up starts its server: only the word of who compared it counts, no phrase of a model's.
  return pinned === undefined ? undefined : { tool: name, session_id: event.session_id, reason };
}
