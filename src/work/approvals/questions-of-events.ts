import type { Event } from "#log";

/** A tool whose definition is no longer the approved one; what it is now has to be looked up. */
export interface ChangedTool {
  readonly tool: string;
  readonly session_id: string;
  readonly reason: string;
}

/** Whether a finding still needs a person: it was not mended, and no person has denied it. */
export function isLeftToPeople({ outcome, by, route }: Event<"workflow.finding_routed">["payload"]): boolean {
  return outcome !== "applied" && by === undefined && route !== "advisory";
}

/** A call that was refused because its tool is no longer the one that was approved. */
export function changedToolOf(event: Event): ChangedTool | undefined {
  if (event.type !== "tool.refused") return undefined;
  const { name, reason, pinned } = event.payload;
  // To look a changed tool up starts its server: only the pin that was compared counts, no text of a model.
  return pinned === undefined ? undefined : { tool: name, session_id: event.session_id, reason };
}
