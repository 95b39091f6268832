import { isJsonObject, ok } from "#core/values";
import type { HookPointSpec } from "../hook-point.ts";
import { refuseTransform } from "../transforms.ts";

/** Before a cycle starts; a transform replaces the payload. */
export const workflowStart: HookPointSpec<"WorkflowStart"> = {
  point: "WorkflowStart",
  input: ["cycle_id", "entry_phase", "mode", "input", "cycle_hash"],
  silence: "allow",
  afterDenial: "ends",
  transform: (_, output) => (isJsonObject(output) ? ok(output) : refuseTransform("WorkflowStart", "an object", output)),
  mayAsk: true,
  claudeCode: { name: null, fields: () => ({}), shows: null, text: "fault", block: "deny", takes: [] },
  canary: { subject: "canary", payload: { cycle_id: "canary", entry_phase: "canary", mode: "headless", input: {} } },
};
