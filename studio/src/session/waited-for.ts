import type { Event } from "../api/types.ts";

/** What ended a long wait says what was waited for. */
export function waitedFor(ending: Event | undefined): string {
  if (ending?.type === "approval.decided" || ending?.type === "workflow.approval_given") return "waiting for approval";
  if (ending?.type === "session.resumed") return "halted";
  if (ending?.type === "llm.response") return "waiting for the model";
  if (ending?.type === "tool.result") return "waiting for the tool";
  return "nothing happened";
}
