import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { cliWith } from "../../../test/support/fresh-cli.ts";
import { testWorkspace, workOrder } from "../../../test/support/runtime-workspace.ts";

test("writ flow run takes an order from a pipe, and tells everything that is wrong with one", async () => {
  const workspace = await testWorkspace();
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  const run = (input: string, ...more: string[]) =>
    cliWith({ cwd: workspace.root, input }, "flow", "run", "-", ...more);
  expect((await run(JSON.stringify(workOrder()))).status).toBe(0);
  expect((await run(stringify(workOrder()))).status).toBe(0);
  for (const nothing of ["", " \n", "# an order\n"]) expect((await run(nothing)).status, nothing).toBe(2);
  const forged = await run(JSON.stringify(workOrder()), "--caller", "eve", "--json");
  expect(forged.status).toBe(2);
  expect(forged.text).toContain("--dev --caller ID");
  expect((await run("work_order_id: [", "--json")).text).toContain("standard input");
  const junk = JSON.stringify({
    ...workOrder({ scope: 5 }),
    ...Object.fromEntries([..."abcdefghijkl"].map((k) => [k, k])),
  });
  const refused = await run(junk);
  expect(refused.status).toBe(3);
  expect(refused.text.match(/^ {2}at \$/gm)).toHaveLength(10);
  expect(refused.text).toContain("and 2 more; --json shows all");
  const { violations } = JSON.parse((await run(junk, "--json")).text) as { violations: object[] };
  expect(violations).toHaveLength(12);
});

test("writ flow explain says of every tool and path who decided, and that none of it has acted", async () => {
  const workspace = await testWorkspace();
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  const order = workOrder({
    type: "plan-work-review",
    skill: "greet",
    tool_permissions: ["echo", "fs.*"],
    scope: { allowed_files: ["notes/**"] },
  });
  const piped = { cwd: workspace.root, input: stringify(order) };
  const { status, text } = await cliWith(piped, "flow", "explain", "-", "--json");
  expect(status).toBe(0);
  const explained = JSON.parse(text) as {
    tools: { tool: string; allowed: boolean; because: string }[];
    paths: { source: string; patterns: string[] }[];
  };
  const of = (name: string) => explained.tools.find(({ tool }) => tool === name);
  expect(of("echo")).toMatchObject({ allowed: true });
  expect(of("fs.read")).toMatchObject({ allowed: false, because: expect.stringContaining("skill") }); // the skill lists echo alone
  expect(of("exec")).toMatchObject({ allowed: false, because: expect.stringContaining("tool_permissions") });
  expect(explained.paths.flatMap(({ patterns }) => patterns)).toContain("notes/**");
  for await (const info of workspace.runtime.log.list())
    throw new Error(`a session was opened: ${JSON.stringify(info)}`);
});
