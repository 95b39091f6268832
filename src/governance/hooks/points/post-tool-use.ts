import { ok } from "#core/values";
import type { HookPointSpec } from "../hook-point.ts";

/** After a tool was called; a transform replaces its result. */
export const postToolUse: HookPointSpec<"PostToolUse"> = {
  point: "PostToolUse",
  input: ["tool", "args", "result", "call_id", "is_error"],
  silence: "allow",
  afterDenial: "ends",
  transform: (payload, output) => ok({ ...payload, result: output }),
  // The tool has run: there is no step left to allow.
  mayAsk: false,
  claudeCode: {
    name: "PostToolUse",
    fields: ({ call_id }) => ({ tool_use_id: call_id ?? null }),
    shows: "result",
    text: "ignored",
    block: "deny",
    takes: ["updatedToolOutput"],
  },
  canary: { subject: "canary", payload: { tool: "canary", args: {}, result: null } },
};
