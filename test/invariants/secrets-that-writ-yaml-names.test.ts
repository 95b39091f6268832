// A secret may lie under any name. The one that writ.yaml gives it counts for tools and for context as it does in a sandbox.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

// Of several lines: the redactor knows the whole of it, and a tool that reads line by line would give away its parts.
const parts = ["first-part-7h3k9s0q", "second-part-x81mmq0z"];
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await testWorkspace({
    config: {
      secrets: { TOKEN: { file: "conf/token.txt" } },
      context_files: ["conf/*.txt"],
    },
    files: { "conf/token.txt": `${parts.join("\n")}\n`, "conf/open.txt": "part of what everybody may read\n" },
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

async function call(tool: string, args: object) {
  const { runtime } = workspace;
  const order = await runtime.writeToolOrder(tool, args as never);
  if (!order.ok) throw new Error(order.error.message);
  return runtime.runFlow({ work_order: { ...order.value }, caller_id: runtime.caller }, { fresh: true });
}

test.for([
  ["fs.read", { path: "conf/token.txt", start_line: 2, line_count: 1 }],
  ["fs.read", { path: "conf/TOKEN.txt" }],
  ["fs.search", { pattern: "part", path: "conf/token.txt" }],
  ["fs.list", { path: "conf/token.txt" }],
] as const)("%s does not read it by its name: %o", async ([tool, args]) => {
  expect(await call(tool, args)).toMatchObject({ status: "failure", error_code: "CAPABILITY_VIOLATION" });
});

test.for([
  ["fs.search", { pattern: "part" }],
  ["fs.list", { path: "conf" }],
  ["sources.search", { query: "part" }],
] as const)("%s passes it over", async ([tool, args]) => {
  const result = await call(tool, args);
  expect(result.status).toBe("success");
  expect(result.response).toContain("conf/open.txt");
  expect(result.response).not.toMatch(/conf\/token|first-part|second-part/);
});

test("context does not hold it, though a pattern names its folder", async () => {
  const result = await workspace.order({ scope: { read_files: ["**"] } });
  expect(result.status).toBe("success");
  const told = JSON.stringify(await workspace.events(result.session_id));
  expect(told).toContain("file:conf/open.txt");
  for (const part of parts) expect(told).not.toContain(part);
});
