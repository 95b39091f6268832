// An order whose word would hold nothing is refused before anything acts: the word is misspelt, or nothing reads it.
import { expect, onTestFinished, test } from "vitest";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const permitted = (args_schema: object) => ({ tool_permissions: [{ tool: "echo", args_schema }] });
const asking = (rule: object) => ({ tool_permissions: ["echo"], approvals: [{ ...rule, reason: "r" }] });

const orders: readonly (readonly [what: string, order: object, named: string])[] = [
  [
    "a forbidden pattern that no path matches",
    { scope: { forbidden_files: ["notes//payroll.csv"] } },
    '(scope.forbidden_files): the pattern "notes//payroll.csv"',
  ],
  [
    "an approval of files outside the workspace",
    asking({ files: ["/notes/**"] }),
    '(approvals[0].files): the pattern "/notes/**"',
  ],
  ["an approval of a tool that it may not call", asking({ tools: ["ecoh"] }), "(approvals[0].tools): ecoh"],
  [
    "a schema with a keyword that is none",
    permitted({ propertys: { text: { const: "a" } } }),
    'tool_permissions[0].args_schema of the work order: the schema: unknown keyword: "propertys"',
  ],
  [
    "a schema of an argument that the tool has not",
    permitted({ properties: { txt: { const: "a" } } }),
    "tool_permissions[0].args_schema of the work order: echo has no argument txt",
  ],
];

test("is refused by name, in flow run and in flow explain", async () => {
  const workspace = await testWorkspace({});
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  for (const [what, order, named] of orders) {
    const options = { cwd: workspace.root, input: JSON.stringify(workOrder({ schema_version: "v2", ...order })) };
    const { status, text } = await cliWith(options, "flow", "run", "-", "--json");
    const { error, error_code } = JSON.parse(text) as FlowResult;
    expect([what, status, error_code, error]).toEqual([what, 3, "WORK_ORDER_INVALID", expect.stringContaining(named)]);
  }
  const order = asking({ tools: ["ecoh"] });
  const input = JSON.stringify(workOrder({ schema_version: "v2", ...order }));
  const explained = await cliWith({ cwd: workspace.root, input }, "flow", "explain", "-");
  expect([explained.status, explained.errors]).toEqual([3, expect.stringContaining("ecoh")]);
});
