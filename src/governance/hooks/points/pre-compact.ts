import type { HookPointSpec } from "../hook-point.ts";
import { refuseAnyTransform } from "../transforms.ts";

/** Before a conversation is shortened. */
export const preCompact: HookPointSpec<"PreCompact"> = {
  point: "PreCompact",
  input: ["messages", "removed", "tokens", "upcoming"],
  silence: "allow",
  afterDenial: "ends",
  transform: (_, output) => refuseAnyTransform("PreCompact", output),
  // There is no step that a person could allow.
  mayAsk: false,
  claudeCode: {
    name: "PreCompact",
    fields: (payload) => ({ trigger: payload["trigger"] ?? "auto", custom_instructions: "" }),
    shows: null,
    text: "fault",
    block: "deny",
    takes: [],
  },
  canary: { payload: { messages: 2, removed: 1, tokens: 1, upcoming: 1 } },
};
