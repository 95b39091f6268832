import type { HookPointSpec } from "../hook-point.ts";
import { refuseTransform } from "../transforms.ts";
import { answerOf, formFields } from "./server-answer.ts";

/** Before a person is asked what an MCP server wants to know; a transform is the answer, given in the person's place. */
export const elicitation: HookPointSpec<"Elicitation"> = {
  point: "Elicitation",
  input: ["server", "tool", "call_id", "message", "mode", "requested_schema", "url", "elicitation_id"],
  silence: "allow",
  afterDenial: "ends",
  transform: (payload, output) => {
    const answer = answerOf("Elicitation", output);
    if (!answer.ok) return answer;
    // Two hooks that answer differently: the one that gives nothing away counts.
    const contradicts = payload["action"] === "cancel" && answer.value.action === "accept";
    return contradicts
      ? refuseTransform("Elicitation", "no acceptance of what another hook canceled", output)
      : formFields(payload, answer.value);
  },
  // The step is a question to a person already.
  mayAsk: false,
  claudeCode: {
    name: "Elicitation",
    fields: ({ server }) => ({ mcp_server_name: server ?? "" }),
    shows: null,
    text: "ignored",
    block: "deny",
    takes: ["action"],
  },
  canary: { subject: "canary", payload: { server: "canary", tool: "canary", message: "canary", mode: "form" } },
};
