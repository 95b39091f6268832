import type { Event } from "#log";

/** A tool whose definition is no longer the approved one; its current definition must be looked up. */
export interface ChangedTool {
  readonly tool: string;
  readonly session_id: string;
  readonly reason: string;
}

/** Whether a finding still needs a person: it was not fixed, and no person has denied it. */
export function isLeftToPeople({ outcome, by, route }: Event<"workflow.finding_routed">["payload"]): boolean {
  return outcome !== "applied" && by === undefined && route !== "advisory";
}

/** The tool of a call that was refused because its definition has changed since the approval. */
export function changedToolOf(event: Event): ChangedTool | undefined {
  if (event.type !== "tool.refused") return undefined;
  const { name, reason, pinned } = event.payload;
  // Looking up a changed tool starts its server, so only a failed pin comparison counts, never the text of a model.
  return pinned === undefined ? undefined : { tool: name, session_id: event.session_id, reason };
}
