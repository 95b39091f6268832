import type { McpOffer } from "../offer/mcp-offer.ts";
import { type OwnChangeParts, ownChanges } from "./changes.ts";
import { type OwnPromptParts, ownPrompts } from "./prompts.ts";
import { type OwnResourceParts, ownResources } from "./resources.ts";
import { type SessionTaskParts, sessionTasks } from "./session-tasks.ts";
import { type OwnToolParts, ownTools } from "./tools.ts";

export type WritOfferParts = OwnToolParts & OwnResourceParts & OwnPromptParts & OwnChangeParts & SessionTaskParts;

/** Writ for other agents: submit, watch, read, decide; with the rights that the API requires. */
export function writOffer(parts: WritOfferParts): McpOffer {
  const tasks = sessionTasks(parts);
  return {
    instructions:
      "Writ is a governed runtime for AI agents. Submit a request or a work order, watch its session, and decide what waits for a person. Every act is recorded under the caller's rights.",
    tools: ownTools(parts, tasks),
    resources: ownResources(parts),
    prompts: ownPrompts(parts),
    tasks,
    changes: ownChanges(parts),
  };
}
