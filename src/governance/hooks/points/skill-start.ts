import type { HookPointSpec } from "../hook-point.ts";
import { refuseAnyTransform } from "../transforms.ts";

/** Before a skill is loaded. */
export const skillStart: HookPointSpec<"SkillStart"> = {
  point: "SkillStart",
  input: ["skill", "allowed_tools"],
  silence: "allow",
  afterDenial: "ends",
  transform: (_, output) => refuseAnyTransform("SkillStart", output),
  mayAsk: true,
  claudeCode: { name: null, fields: () => ({}), shows: null, text: "context", block: "deny", takes: [] },
  canary: { subject: "canary", payload: { skill: "canary", allowed_tools: [] } },
};
