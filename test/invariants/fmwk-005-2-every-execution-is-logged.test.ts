// FMWK-005: Every work order execution MUST be logged to the ledger (WO_STARTED + WO_EXEC_COMPLETE/FAILED).
import { expect, test } from "vitest";
import { testWorkspace } from "../support/runtime-workspace.ts";

test.each([
  ["a success", [{ respond: { text: "fine" } }], {}, ["WO_STARTED", "WO_EXEC_COMPLETE"]],
  ["a provider's failure", [{ respond: { error: { status: 500 } } }], {}, ["WO_STARTED", "WO_EXEC_FAILED"]],
  [
    "a result that is not accepted",
    [{ respond: { text: "prose" } }],
    { io_schema: { output_schema: { type: "object" } } },
    ["WO_STARTED", "WO_EXEC_FAILED"],
  ],
  ["a refusal", [{ respond: { text: "fine" } }], { agent_class: "KERNEL.syntactic" }, ["WO_REJECTED"]],
])("%s is in L-EXEC from beginning to end", async (_, rules, changes, expected) => {
  await using workspace = await testWorkspace({ rules });
  const { session_id } = await workspace.order(changes);
  await workspace.runtime.log.flush();
  const text = await workspace.read(`planes/ho1/sessions/${session_id}/ledger/exec.jsonl`);
  const types = text
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types.filter((type) => type.startsWith("WO_"))).toEqual(expected);
});
