// What an order declares and what its framework sets is kept or refused, with the promise broken on purpose.
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256 } from "#core/values";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions, workOrder } from "../support/runtime-workspace.ts";

async function workspaceWith(options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await testWorkspace(options);
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

/** `writ flow run - --json`. */
async function flowRun(workspace: TestWorkspace, changes: object): Promise<{ status: number; result: FlowResult }> {
  const input = JSON.stringify(workOrder(changes));
  const { status, text } = await cliWith({ cwd: workspace.root, input }, "flow", "run", "-", "--json");
  return { status, result: JSON.parse(text) as FlowResult };
}

const isCalled = async (workspace: TestWorkspace, { session_id }: FlowResult) =>
  (await workspace.events(session_id)).some(({ type }) => type === "llm.request");

describe("declared_inputs", () => {
  const files = { "notes/a.md": "a note\n", "notes/payroll.csv": "1\n", "src/a.ts": "let x;\n", ".env": "KEY=1\n" };
  const declared = (...inputs: readonly object[]) => ({
    scope: { allowed_files: ["notes/**"], forbidden_files: ["notes/payroll.csv"] },
    declared_inputs: inputs,
  });

  test.each([
    ["another content", { path: "notes/a.md", sha256: "0".repeat(64) }, "was written for 0000"],
    ["a file that is missing", { path: "notes/b.md" }, 'no "notes/b.md"'],
    ["a path outside the workspace", { path: "../a.md" }, "refused"],
    ["a file that holds secrets", { path: ".env", sha256: "0".repeat(64) }, "not read"],
    ["a folder", { path: "notes" }, "is a folder"],
    ["a file that it may not read", { path: "src/a.ts" }, "(scope.read_files) names none"],
    ["a file that it forbids", { path: "notes/payroll.csv" }, "(scope.forbidden_files) forbids notes/payroll.csv"],
  ])("an order that declares %s is refused before a model is called", async (_, input, says) => {
    const workspace = await workspaceWith({ files });
    const { status, result } = await flowRun(workspace, declared(input));
    expect(status).toBe(3);
    expect(result).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID" });
    expect(result.error).toContain("declared_inputs[0]");
    expect(result.error).toContain(says);
    expect(await isCalled(workspace, result)).toBe(false);
  });

  test("what an order declares and finds is in its evidence, with the hash", async () => {
    const workspace = await workspaceWith({ files });
    const hash = sha256("a note\n");
    const { result } = await flowRun(workspace, declared({ path: "notes/a.md", sha256: hash }, { path: "notes/a.md" }));
    expect(result.status).toBe("success");
    const started = (await workspace.events(result.session_id)).find(({ type }) => type === "wo.started");
    const evidence = { path: "notes/a.md", sha256: hash, bytes: 7 };
    expect(started?.payload).toMatchObject({ declared_inputs: [evidence, evidence] });
    const ledger = await workspace.read(`planes/ho1/sessions/${result.session_id}/ledger/evidence.jsonl`);
    expect(ledger).toContain(hash);
  });
});

describe("declared_outputs", () => {
  /** An order of one write, without a model. */
  const writing = (path: string, content: string, ...declared_outputs: readonly object[]) => ({
    type: "tool-call",
    scope: { allowed_files: ["out/**"] },
    input: { tool: "fs.write", args: { path, content, expected_hash: "", why: "asked" } },
    tool_permissions: ["fs.write"],
    declared_outputs,
  });

  test("one that is never written fails the order", async () => {
    const workspace = await workspaceWith();
    const { status, result } = await flowRun(workspace, writing("out/other.json", "{}", { path: "out/report.json" }));
    expect(status).toBe(1);
    expect(result).toMatchObject({ status: "failure", error_code: "MISSING_OUTPUT" });
    expect(result.validation_result?.gate_results).toMatchObject([{ gate: "declared_outputs[0]", passed: false }]);
  });

  test("one that lay there before and is not written fails the order, whether it may be written or not", async () => {
    const workspace = await workspaceWith();
    await workspace.write("out/report.json", "{}");
    for (const declared of ["out/report.json", "./out/report.json", "out/", "out"]) {
      const elsewhere = { ...writing("new/other.json", "{}", { path: declared }), scope: { allowed_files: ["**"] } };
      const { status, result } = await flowRun(workspace, elsewhere);
      expect(status).toBe(1);
      expect(result).toMatchObject({ status: "failure", error_code: "MISSING_OUTPUT" });
      expect(result.error).toContain(`${declared} was there before, and the order did not write it`);
    }
  });

  test("one that the order may not write is refused before anything is sent", async () => {
    const workspace = await workspaceWith();
    await workspace.write("notes/report.json", "{}");
    for (const path of ["notes/report.json", "notes/", "../report.json"]) {
      const order = writing("out/other.json", "{}", { path });
      const read = { ...order, scope: { allowed_files: ["out/**"], read_files: ["**"] } };
      const { status, result } = await flowRun(workspace, read);
      expect(status).toBe(3);
      expect(result).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID" });
      expect(result.error).toContain("declared_outputs[0] of the work order");
    }
  });

  test("one that does not fit its schema fails the order; one that fits is there with its hash", async () => {
    const workspace = await workspaceWith();
    const fitting = { path: "out/report.json", schema_id: "echo.args_v1" };
    expect((await flowRun(workspace, writing("out/report.json", `{"text": 5}`, fitting))).result).toMatchObject({
      status: "failure",
      error_code: "ACCEPTANCE_FAILED",
      error: expect.stringContaining("out/report.json"),
    });
    const good = { path: "out/good.json", schema_id: "echo.args_v1" };
    const content = `{"text": "hi"}`;
    const { result } = await flowRun(workspace, writing("out/good.json", content, good, { path: "out" }));
    expect(result).toMatchObject({ status: "success", error: null });
    expect(result.validation_result?.gate_results).toEqual([
      {
        gate: "declared_outputs[0]",
        passed: true,
        details: { path: "out/good.json", sha256: sha256(content) },
      },
      { gate: "declared_outputs[1]", passed: true, details: { path: "out" } },
    ]);
  });

  test("an unknown schema is refused before a model is called", async () => {
    const workspace = await workspaceWith();
    const { status, result } = await flowRun(
      workspace,
      writing("out/a", "", { path: "out/report.json", schema_id: "report_v9" }),
    );
    expect(status).toBe(3);
    expect(result.error).toContain("declared_outputs[0].schema_id");
    expect(result.session_id).toBeNull();
  });
});

describe("spec_id", () => {
  test("an unknown one is refused, by flow run and by flow explain", async () => {
    const workspace = await workspaceWith();
    const { status, result } = await flowRun(workspace, { spec_id: "SPEC-NOWHERE-001" });
    expect(status).toBe(3);
    expect(result).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID" });
    expect(result.error).toContain("SPEC-NOWHERE-001");
    expect(await isCalled(workspace, result)).toBe(false);
    const input = JSON.stringify(workOrder({ spec_id: "SPEC-NOWHERE-001" }));
    const explained = await cliWith({ cwd: workspace.root, input }, "flow", "explain", "-");
    expect(explained.status).toBe(3);
  });

  test("one that a registry of the workspace names is known", async () => {
    const files = { "registries/specs_registry.csv": "spec_id,title,framework_id\nSPEC-OURS-001,Ours,FMWK-005\n" };
    const workspace = await workspaceWith({ files });
    expect((await cliWith({ cwd: workspace.root }, "pkg", "adopt")).status).toBe(0);
    expect((await flowRun(workspace, { spec_id: "SPEC-OURS-001" })).result.status).toBe("success");
  });
});

describe("the framework's default_budget", () => {
  const framework = (budget: string): WorkspaceOptions => ({
    rules: [{ respond: { text: "late", delay_ms: 30_000 } }],
    files: {
      "registries/frameworks_registry.csv":
        "framework_id,title,status,version,plane_id,path\nFMWK-777,Hasty,active,1.0.0,ho1,frameworks/FMWK-777_Hasty\n",
      "frameworks/FMWK-777_Hasty/manifest.yaml": `framework_id: FMWK-777
title: Hasty
version: "1.0.0"
status: active
ring: resident
plane_id: ho1
expected_specs: [SPEC-HASTY-001]
agent_classes: [RESIDENT]
default_agent_class: RESIDENT
default_budget: ${budget}
prompt_contracts: [PRC-HASTY-001]
`,
      "frameworks/FMWK-777_Hasty/prompt_contracts/PRC-HASTY-001.yaml":
        'contract_id: PRC-HASTY-001\nversion: "1.0.0"\ntemplate: "{{prompt}}"\n',
    },
  });
  const order = { framework_id: "FMWK-777", spec_id: "SPEC-HASTY-001" };

  test("timeout_seconds ends a flow whose order names none", async () => {
    const workspace = await workspaceWith(framework("{ token_limit: 5000, turn_limit: 1, timeout_seconds: 1 }"));
    const { status, result } = await flowRun(workspace, { ...order, budget: undefined });
    expect(status).toBe(1);
    expect(result).toMatchObject({ status: "timeout", error_code: "TIMEOUT" });
  });

  test("limits.flow_timeout_seconds ends a flow whatever order and framework say", async () => {
    const given = framework("{ token_limit: 5000, turn_limit: 1, timeout_seconds: 600 }");
    const workspace = await workspaceWith({ ...given, config: { limits: { flow_timeout_seconds: 1 } } });
    expect((await flowRun(workspace, order)).result).toMatchObject({ status: "timeout", error_code: "TIMEOUT" });
  });
});
