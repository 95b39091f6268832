import type { HookPointSpec } from "../hook-point.ts";
import { answerOf, formFields } from "./server-answer.ts";

/** Before an answer goes to the MCP server that asked; a transform replaces it, and after a denial the server hears that it was declined. */
export const elicitationResult: HookPointSpec<"ElicitationResult"> = {
  point: "ElicitationResult",
  input: ["server", "tool", "call_id", "mode", "action", "content", "elicitation_id"],
  silence: "allow",
  afterDenial: "ends",
  transform: (payload, output) => {
    const answer = answerOf("ElicitationResult", output);
    return answer.ok ? formFields(payload, answer.value) : answer;
  },
  // A person has just decided.
  mayAsk: false,
  claudeCode: {
    name: "ElicitationResult",
    fields: ({ server }) => ({ mcp_server_name: server ?? "" }),
    shows: null,
    text: "ignored",
    block: "deny",
    takes: ["action"],
  },
  canary: { subject: "canary", payload: { server: "canary", tool: "canary", mode: "form", action: "cancel" } },
};
