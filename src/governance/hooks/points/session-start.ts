import type { HookPointSpec } from "../hook-point.ts";
import { refuseAnyTransform } from "../transforms.ts";

/** Before a session begins. */
export const sessionStart: HookPointSpec<"SessionStart"> = {
  point: "SessionStart",
  input: ["work_order_id", "tier", "framework_id", "subagent"],
  silence: "allow",
  afterDenial: "ends",
  transform: (_, output) => refuseAnyTransform("SessionStart", output),
  // Before anything of the prompt may be written down, a question cannot be kept.
  mayAsk: false,
  claudeCode: {
    name: "SessionStart",
    fields: (payload) => ({ source: payload["source"] ?? "startup" }),
    shows: null,
    text: "context",
    block: "deny",
    takes: [],
  },
  canary: { payload: { work_order_id: "canary", tier: "ho1", framework_id: "canary" } },
};
