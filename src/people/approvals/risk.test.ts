import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { riskOf } from "./risk.ts";

test("the first entry of approvals.risks that fits the kind and the tool decides, in its words", () => {
  const approvals = {
    risks: [
      { kinds: ["agent_question" as const], risk: "high" as const, reason: "its answers are quoted" },
      { kinds: ["tool_call" as const], tools: ["fs.*"], risk: "medium" as const },
    ],
  };
  const risk = (kind: "agent_question" | "tool_call" | "held_acts", subject: object) =>
    riskOf({ kind, subject: subject as never }, approvals.risks);
  expect(risk("agent_question", {})).toEqual({ risk: "high", reason: "its answers are quoted" });
  expect(risk("tool_call", { tool: "fs.write" })).toEqual({ risk: "medium", reason: null });
  expect(risk("held_acts", { acts: [{ tool: "fs.write" }] }).risk).toBe("high"); // by its kind alone
});

test("a kind of question that there is none of is refused: its entry would fit nothing", () => {
  const misspelt = { version: 1, approvals: { risks: [{ kinds: ["tool_cal"], risk: "high" }] } };
  expect(shippedRegistry().validate("writ_config_v1", misspelt).ok).toBe(false);
});
