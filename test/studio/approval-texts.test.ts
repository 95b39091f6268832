import { expect, test } from "vitest";
import { everyKind, labelOf } from "../../studio/src/pages/approval-texts.ts";

test("a button says the kind's own label; a choice that the kind does not have is shown by its name", () => {
  expect(labelOf({ kind: "in_doubt" }, "not_done")).toBe("not done");
  expect(labelOf({ kind: "tool_call" }, "approve")).toBe("approve");
  expect(labelOf({ kind: "blocked_work" }, "retry_all")).toBe("retry_all");
});

test("the empty inbox names every kind of question", () => {
  expect(everyKind()).toMatch(
    /^Tool calls that a hook wants asked, effects in doubt, .*, questions of agents, questions of MCP servers, .* steps that a hook holds\b/,
  );
});
