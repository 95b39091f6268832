import { isJsonObject, ok } from "#core/values";
import type { HookPointSpec } from "../hook-point.ts";
import { refuseTransform } from "../transforms.ts";

/** Before a cycle goes on to another phase; a transform replaces the payload. */
export const phaseAdvance: HookPointSpec<"PhaseAdvance"> = {
  point: "PhaseAdvance",
  input: ["cycle_id", "from_phase", "to_phase", "generation", "reason", "mode", "verdict", "p0_unresolved", "grade"],
  silence: "allow",
  afterDenial: "ends",
  transform: (_, output) => (isJsonObject(output) ? ok(output) : refuseTransform("PhaseAdvance", "an object", output)),
  mayAsk: true,
  claudeCode: { name: null, fields: () => ({}), shows: null, text: "fault", block: "deny", takes: [] },
  canary: { subject: "canary", payload: { cycle_id: "canary", from_phase: "canary", to_phase: null } },
};
