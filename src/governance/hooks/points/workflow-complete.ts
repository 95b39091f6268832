import type { HookPointSpec } from "../hook-point.ts";
import { refuseAnyTransform } from "../transforms.ts";

/** After a cycle: its verdict stands, and programs that notify are asked. */
export const workflowComplete: HookPointSpec<"WorkflowComplete"> = {
  point: "WorkflowComplete",
  input: ["cycle_id", "verdict", "reason", "phases_visited"],
  silence: "allow",
  afterDenial: "goes on",
  transform: (_, output) => refuseAnyTransform("WorkflowComplete", output),
  // There is no step that a person could allow.
  mayAsk: false,
  claudeCode: { name: null, fields: () => ({}), shows: null, text: "ignored", block: "deny", takes: [] },
  canary: { subject: "canary", payload: { cycle_id: "canary", verdict: "done" } },
};
