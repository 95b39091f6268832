// Development mode and callers who only name themselves: no real effect unless the configuration grants it; it can forbid both.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { harmlessTools } from "../../src/people/identity/caller.ts";
import { cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const writing = {
  tool_permissions: ["fs.write"],
  scope: { allowed_files: ["a.txt"] },
  type: "tool-call",
  input: { tool: "fs.write", args: { path: "a.txt", content: "written", expected_hash: "", why: "a try" } },
};
const dev = ["--dev"];
const named = ["--dev", "--caller", "stranger@nowhere"];

async function submit({ root }: TestWorkspace, how: readonly string[], changes: object) {
  const input = JSON.stringify(workOrder({ budget: { token_limit: 5000 }, ...changes }));
  const { status, text } = await cliWith({ cwd: root, input }, "flow", "run", "-", "--json", ...how);
  const { error_code, error } = JSON.parse(text) as { error_code: string | null; error: string | null };
  return { status, error_code, error };
}

const refused = (words: string) => ({ status: 3, error_code: "NOT_AUTHORIZED", error: expect.stringContaining(words) });

test("tools that write, programs and MCP tools are refused, also under a pattern; what only reads goes on", async () => {
  await using space = await testWorkspace({ config: { identity: {} } });
  for (const how of [dev, named]) {
    expect(await submit(space, how, writing)).toMatchObject(refused('"fs.write" (its tool_permissions name it)'));
    expect(await submit(space, how, { tool_permissions: ["*"] })).toMatchObject(refused('"*"'));
    expect(await submit(space, how, { tool_permissions: ["mail.send"] })).toMatchObject(refused('"mail.send"'));
    const acceptance = { tests: ["true"] };
    expect(await submit(space, how, { acceptance })).toMatchObject(refused('"exec" (its acceptance runs programs)'));
    expect(await submit(space, how, { tool_permissions: ["echo", "fs.read"] })).toMatchObject({ status: 0 });
  }
  expect(existsSync(join(space.root, "a.txt"))).toBe(false);
  expect(await submit(space, [], writing)).toMatchObject({ status: 0 });
  expect(existsSync(join(space.root, "a.txt"))).toBe(true);
});

test("the configuration grants effects to each apart, and can forbid both", async () => {
  const identity = { dev: { effects: ["fs.*"] }, named_callers: { effects: ["echo"] } };
  await using space = await testWorkspace({ config: { identity } });
  expect(await submit(space, dev, writing)).toMatchObject({ status: 0 });
  expect(await submit(space, named, writing)).toMatchObject(refused('"fs.write"'));
  const closed = { dev: { effects: ["*"] }, named_callers: { allow: false, effects: ["*"] } };
  await using half = await testWorkspace({ config: { identity: closed } });
  expect(await submit(half, dev, writing)).toMatchObject({ status: 0 });
  expect(await submit(half, named, {})).toMatchObject(refused("identity.named_callers.allow"));
  await using shut = await testWorkspace({ config: { identity: { dev: { allow: false } } } });
  for (const how of [dev, named]) expect(await submit(shut, how, {})).toMatchObject(refused("identity.dev.allow"));
  expect(await submit(shut, [], {})).toMatchObject({ status: 0 });
});

test("a turn with capabilities of its own runs where the configuration grants turns, as writ init does", async () => {
  const turn = {
    package_id: "PKG-DEMO",
    turn_number: 1,
    query: {},
    declared_inputs: [],
    declared_outputs: [{ path: "out.txt" }],
    capabilities: { write: ["out.txt"] },
    handler: { command: ["sh", "-c", "echo hi > out.txt"] },
  };
  const exec = async ({ root }: TestWorkspace) => {
    writeFileSync(join(root, "turn.json"), JSON.stringify(turn));
    const { status, text } = await cliWith({ cwd: root }, "turn", "exec", "turn.json", "--dev", "--json");
    return { exit: status, ...(JSON.parse(text) as { error: object | null }) };
  };
  await using closed = await testWorkspace({ config: { identity: {} } });
  expect(await exec(closed)).toMatchObject({
    exit: 3,
    error: { code: "NOT_AUTHORIZED", message: expect.stringContaining('"turn" (it runs a program as a turn)') },
  });
  expect(existsSync(join(closed.root, "out.txt"))).toBe(false);
  await using open = await testWorkspace();
  expect(await exec(open)).toMatchObject({ exit: 0, error: null });
});

test("the tools that count as harmless are those that only read, and reach nothing outside", async () => {
  await using space = await testWorkspace();
  const reading = space.runtime.tools
    .list()
    .filter(({ annotations }) => annotations?.readOnly && !annotations.openWorld);
  expect(reading.map(({ name }) => name).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([...harmlessTools]);
});
