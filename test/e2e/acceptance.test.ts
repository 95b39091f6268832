// Criteria of an order judge what it did: by the answer and the changed files, within their time, as programs and as expressions.
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256 } from "#core/values";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

async function workspaceOf(): Promise<TestWorkspace> {
  const workspace = await testWorkspace({
    rules: [{ respond: { text: "Hello, Ada", usage: { input_tokens: 12, output_tokens: 3 } } }],
  });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

/** `writ flow run - --json`. */
async function flowRun(workspace: TestWorkspace, changes: object): Promise<{ status: number; result: FlowResult }> {
  const input = JSON.stringify(workOrder(changes));
  const { status, text } = await cliWith({ cwd: workspace.root, input }, "flow", "run", "-", "--json");
  return { status, result: JSON.parse(text) as FlowResult };
}

const shell = (script: string, more: object = {}) => ({ command: ["/bin/sh", "-c", script], ...more });
const writing = (content: string) => ({
  type: "tool-call",
  scope: { allowed_files: ["out/**"] },
  input: { tool: "fs.write", args: { path: "out/a.txt", content, expected_hash: "", why: "asked" } },
  tool_permissions: ["fs.write"],
});

describe("a program", () => {
  test("gets the answer and the facts on standard input and as files", async () => {
    const workspace = await workspaceOf();
    const checks = [shell('cat > "$TMPDIR/in"; cat "$TMPDIR/in"; cat "$WRIT_ANSWER_FILE" >&2', { name: "reads" })];
    const { result } = await flowRun(workspace, { acceptance: { checks } });
    expect(result).toMatchObject({ status: "success", error: null });
    const [read] = result.validation_result?.gate_results ?? [];
    expect(read).toMatchObject({ gate: "reads", passed: true, exit_code: 0, stderr: "Hello, Ada" });
    const facts: unknown = JSON.parse(read?.stdout ?? "");
    expect(workspace.runtime.schemas.validate("acceptance_facts_v1", facts).ok).toBe(true);
    expect(facts).toMatchObject({
      answer: "Hello, Ada",
      files: [],
      counts: { model_calls: 1, tool_calls: 0 },
      cost: { input_tokens: 12, output_tokens: 3 },
      work_order_id: result.work_order_id,
    });
  });

  test("that disagrees with the answer fails the order, although it ran before without a complaint", async () => {
    const workspace = await workspaceOf();
    const grep = (word: string) => flowRun(workspace, { acceptance: { tests: [`grep -q ${word}`] } });
    expect((await grep("Ada")).result.status).toBe("success");
    const { status, result } = await grep("Grace");
    expect(status).toBe(1);
    expect(result).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
    expect(result.validation_result?.gate_results).toMatchObject([{ passed: false, exit_code: 1 }]);
  });

  test("sees which files the order changed, with hash and kind of change, and the files themselves", async () => {
    const workspace = await workspaceOf();
    const checks = [shell('cat "$WRIT_CHANGES_FILE"; cat out/a.txt >&2')];
    const { result } = await flowRun(workspace, { ...writing("one\n"), acceptance: { checks } });
    expect(result.status).toBe("success");
    const [seen] = result.validation_result?.gate_results ?? [];
    expect(JSON.parse(seen?.stdout ?? "")).toEqual([
      { path: "out/a.txt", change: "create", sha256: sha256("one\n"), bytes: 4 },
    ]);
    expect(seen?.stderr).toBe("one\n");
  });

  test("is killed at its own timeout_seconds, and has failed", async () => {
    const workspace = await workspaceOf();
    const tests = [shell("echo begun; sleep 60", { name: "slow", timeout_seconds: 1 })];
    const { status, result } = await flowRun(workspace, { acceptance: { tests } });
    expect(status).toBe(1);
    expect(result).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
    const [slow] = result.validation_result?.gate_results ?? [];
    expect(slow).toMatchObject({ gate: "slow", passed: false, stdout: "begun\n" });
    expect(slow?.message).toContain("TIMEOUT");
    expect(slow).not.toHaveProperty("exit_code");
  });

  test("leaves the end of what it printed in result, record and ledger, bounded and without secrets", async () => {
    const workspace = await workspaceOf();
    const key = `sk-ant-api03-${"A".repeat(93)}AA`;
    const tests = [shell(`seq 1 5000; echo ${key}; echo wrong >&2; exit 3`)];
    const { result } = await flowRun(workspace, { acceptance: { tests } });
    const [failed] = result.validation_result?.gate_results ?? [];
    expect(failed).toMatchObject({ passed: false, exit_code: 3, stderr: "wrong\n" });
    expect(failed?.stdout?.length).toBeLessThanOrEqual(2100);
    expect(failed?.stdout).toContain("\n5000\n");
    expect(JSON.stringify(result)).not.toContain(key);
    const events = await workspace.events(result.session_id);
    const checked = events.find(({ type }) => type === "acceptance.checked");
    expect(checked?.payload).toMatchObject({ passed: false, gate_results: [failed] });
    expect(JSON.stringify(events)).not.toContain(key);
  });

  test("keeps nothing of what it writes", async () => {
    const workspace = await workspaceOf();
    const { result } = await flowRun(workspace, { acceptance: { tests: [shell("echo x > left.txt")] } });
    expect(result.status).toBe("success");
    await expect(workspace.read("left.txt")).rejects.toThrow("ENOENT");
  });
});

test("what judges an order is not written by it under a wide pattern, and is where the order spells its folder", async () => {
  const workspace = await workspaceOf();
  await workspace.write("tests/accept.sh", "exit 1\n");
  const passing = { path: "tests/accept.sh", content: "exit 0\n", expected_hash: sha256("exit 1\n"), why: "it passes" };
  const order = (allowed: string) => ({
    type: "tool-call",
    scope: { allowed_files: [allowed] },
    input: { tool: "fs.write", args: passing },
    tool_permissions: ["fs.write"],
    acceptance: { tests: ["sh tests/accept.sh"] },
  });
  const { result } = await flowRun(workspace, order("**"));
  expect(result.status).not.toBe("success");
  expect(result.error).toContain("the order is judged by it");
  expect(await workspace.read("tests/accept.sh")).toBe("exit 1\n");
  expect((await flowRun(workspace, order("tests/**"))).result.status).toBe("success");
  expect(await workspace.read("tests/accept.sh")).toBe("exit 0\n");
});

describe("an expression", () => {
  const v2 = (...tests: readonly object[]) => ({ schema_version: "v2", acceptance: { tests } });

  test("judges files, exit codes, counts, cost and the answer", async () => {
    const workspace = await workspaceOf();
    const expression = [
      'exit_codes["unit"] == 0',
      'files.all(f, f.path.startsWith("out/") && f.change == "create")',
      'counts.files == 1 && tool_calls["fs.write"] == 1 && counts.model_calls == 0',
      'cost.usd_spent < 0.5 && cost.input_tokens == 0 && answer.contains("out/a.txt")',
    ].join(" && ");
    // Written before the command that it judges by.
    const order = { ...writing("one\n"), ...v2({ name: "facts", expression }, { name: "unit", command: "true" }) };
    const { result } = await flowRun(workspace, order);
    expect(result.validation_result?.gate_results).toMatchObject([
      { gate: "facts", passed: true },
      { gate: "unit", passed: true, exit_code: 0 },
    ]);
    expect(result.status).toBe("success");
  });

  test.each([
    ["is false", "counts.tool_calls > 3", "it is false"],
    ["is no truth", "counts.tool_calls", "it is neither true nor false"],
    ["reads what is not there", 'exit_codes["unit"] == 0', "it has no value"],
  ])("that %s fails the order", async (_, expression, says) => {
    const workspace = await workspaceOf();
    const { status, result } = await flowRun(workspace, v2({ name: "rule", expression }));
    expect(status).toBe(1);
    expect(result).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
    expect(result.error).toContain(`rule (${says}`);
  });

  test.each([
    ["does not parse", { expression: "counts.files ==" }, "no expression"],
    ["names what no fact is called", { expression: "filez.size() > 0" }, "did you mean files?"],
    ["names a field that a fact lacks", { expression: "counts.filez > 0" }, "did you mean files?"],
    ["stands beside a command", { expression: "true", command: "true" }, "either a command or an expression"],
    ["is missing, as is the command", { name: "empty" }, "either a command or an expression"],
    ["has a time limit", { expression: "true", timeout_seconds: 1 }, "belongs to a command"],
    ["names no program", { command: " " }, "names no program"],
  ])("a criterion that %s is refused before a session is opened", async (_, criterion, says) => {
    const workspace = await workspaceOf();
    const { status, result } = await flowRun(workspace, v2(criterion));
    expect(status).toBe(3);
    expect(result).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID", session_id: null });
    expect(result.error).toContain("acceptance.tests[0]");
    expect(result.error).toContain(says);
  });
});
