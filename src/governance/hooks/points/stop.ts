import type { HookPointSpec } from "../hook-point.ts";
import { refuseAnyTransform } from "../transforms.ts";

/** When the work of an order could end; without a say the loop ends. */
export const stop: HookPointSpec<"Stop"> = {
  point: "Stop",
  input: ["ok", "verdict", "rework_count", "terminal", "answer", "subagent"],
  silence: "deny",
  afterDenial: "goes on",
  transform: (_, output) => refuseAnyTransform("Stop", output),
  // There is no step that a person could allow.
  mayAsk: false,
  claudeCode: {
    name: "Stop",
    fields: (payload) => {
      const count = payload["rework_count"];
      const { answer = "", subagent } = payload;
      return {
        stop_hook_active: typeof count === "number" && count > 0,
        last_assistant_message: answer,
        background_tasks: [],
        session_crons: [],
        ...(subagent === true ? { agent_type: "general-purpose" } : {}),
      };
    },
    shows: null,
    text: "ignored",
    block: "allow",
    takes: [],
  },
  canary: { payload: { ok: true, verdict: "pass", rework_count: 0, terminal: true } },
};
