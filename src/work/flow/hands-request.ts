import type { Event } from "#log";

/**
 * Whether the roles of a session are handed the request and the evidence. One that goes on keeps to what its first prompts
 * held, or it would ask other questions than its record answers.
 */
export function handsRequest(before: readonly Event[] | undefined): boolean {
  if (before === undefined) return true;
  const asked = before.findIndex(({ type }) => type === "llm.request");
  if (asked < 0) return true;
  return before
    .slice(0, asked)
    .some((event) => event.type === "strategy.chosen" && event.payload.hands_request === true);
}
