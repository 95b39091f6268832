import { isJsonObject, ok } from "#core/values";
import type { HookPointSpec } from "../hook-point.ts";
import { refuseTransform } from "../transforms.ts";

/** Before a prompt is taken; a transform replaces the prompt. */
export const userPromptSubmit: HookPointSpec<"UserPromptSubmit"> = {
  point: "UserPromptSubmit",
  input: ["prompt"],
  silence: "allow",
  afterDenial: "ends",
  transform: (payload, output) =>
    isJsonObject(output) && typeof output["prompt"] === "string" && Object.keys(output).length === 1
      ? ok({ ...payload, ...output })
      : refuseTransform("UserPromptSubmit", '{"prompt": text} and nothing else', output),
  // Before anything of the prompt may be written down, a question cannot be kept.
  mayAsk: false,
  claudeCode: { name: "UserPromptSubmit", fields: () => ({}), shows: null, text: "context", block: "deny", takes: [] },
  canary: { payload: { prompt: "canary" } },
};
