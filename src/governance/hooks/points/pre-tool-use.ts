import { isJsonObject, ok } from "#core/values";
import type { HookPointSpec } from "../hook-point.ts";
import { refuseTransform } from "../transforms.ts";

/** Before a tool is called; a transform replaces its arguments. */
export const preToolUse: HookPointSpec<"PreToolUse"> = {
  point: "PreToolUse",
  input: ["tool", "args", "call_id", "role", "annotations", "skill", "work_order_id", "values"],
  silence: "allow",
  afterDenial: "ends",
  transform: (payload, output) =>
    isJsonObject(output)
      ? ok({ ...payload, args: output })
      : refuseTransform("PreToolUse", "an object: the tool's new arguments", output),
  mayAsk: true,
  claudeCode: {
    name: "PreToolUse",
    fields: ({ call_id }) => ({ tool_use_id: call_id ?? null }),
    shows: "call",
    text: "fault",
    block: "deny",
    takes: ["permissionDecision", "updatedInput"],
  },
  canary: { subject: "canary", payload: { tool: "canary", args: {} } },
};
