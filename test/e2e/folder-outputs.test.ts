// A declared folder covers what is written below it: of a turn, of a work order, of a run's program.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TurnResultV1 } from "#core/contracts";
import type { FlowResult } from "#work";
import { cli, cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

async function workspaceWith(): Promise<TestWorkspace> {
  const workspace = await testWorkspace({ config: { identity: { dev: { effects: ["turn"] } } } });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

async function turn(workspace: TestWorkspace, script: string, outputs: readonly object[], write = ["**"]) {
  const document = {
    package_id: "PKG-DEMO",
    turn_number: 1,
    query: {},
    declared_inputs: [],
    declared_outputs: outputs,
    capabilities: { read: ["**"], write },
    handler: { command: ["sh", "-c", script] },
  };
  writeFileSync(join(workspace.root, "turn.json"), JSON.stringify(document));
  const { text } = await cli(workspace.root, "turn", "exec", "turn.json", "--dev", "--json");
  return JSON.parse(text) as TurnResultV1;
}

const fill = "mkdir -p notes/out/deep; echo a >notes/out/a.md; echo b >notes/out/deep/b.md";
const folder = [{ path: "notes/out/" }];

describe("a turn", () => {
  test("lands all that it wrote below a declared folder, again and again", async () => {
    const workspace = await workspaceWith();
    const at = (path: string) => join(workspace.root, path);
    expect((await turn(workspace, fill, folder)).error).toBeNull();
    expect(readFileSync(at("notes/out/deep/b.md"), "utf8")).toBe("b\n");
    expect((await turn(workspace, "echo new >notes/out/a.md; echo c >notes/out/c.md", folder)).error).toBeNull();
    expect(readFileSync(at("notes/out/a.md"), "utf8")).toBe("new\n");
    // Filled anew: what it clears is declared beside it.
    const cleared = await turn(workspace, `rm -r notes/out; ${fill}`, folder);
    expect(cleared.error?.code).toBe("UNDECLARED_WRITE");
    expect(existsSync(at("notes/out/c.md"))).toBe(true);
    const both = [...folder, { path: "notes/out/", action: "delete" }];
    expect((await turn(workspace, `rm -r notes/out; ${fill}`, both)).error).toBeNull();
    expect(existsSync(at("notes/out/c.md"))).toBe(false);
    expect((await turn(workspace, "echo d >notes/out/d.md", both)).error).toBeNull();
  });

  test("may write only some files of it, and each is judged", async () => {
    const workspace = await workspaceWith();
    expect((await turn(workspace, fill, folder, ["notes/out/**/*.md"])).error).toBeNull();
    const other = await turn(workspace, "echo x >notes/out/x.sh; echo y >notes/out/y.md", folder, ["notes/**/*.md"]);
    expect(other.error?.code).toBe("UNDECLARED_WRITE");
    expect(existsSync(join(workspace.root, "notes/out/y.md"))).toBe(false);
    expect((await turn(workspace, fill, folder, ["src/**"])).error?.code).toBe("CAPABILITY_VIOLATION");
    const beside = await turn(workspace, `${fill}; echo z >notes/other.md`, folder);
    expect(beside.error?.code).toBe("UNDECLARED_WRITE");
    expect((await turn(workspace, "mkdir -p notes/out", folder)).error?.code).toBe("MISSING_OUTPUT");
  });
});

describe("a work order", () => {
  async function run(workspace: TestWorkspace, script: string, more: object = {}): Promise<FlowResult> {
    const order = workOrder({
      type: "tool-call",
      scope: { allowed_files: ["notes/out/"] },
      input: { tool: "exec", args: { command: ["sh", "-c", script] } },
      tool_permissions: ["exec"],
      declared_outputs: folder,
      schema_version: "v2",
      ...more,
    });
    const asked = { cwd: workspace.root, input: JSON.stringify(order) };
    const { text } = await cliWith(asked, "flow", "run", "-", "--json");
    return JSON.parse(text) as FlowResult;
  }

  test("is accepted when its declared folder holds files, and not when it stayed empty", async () => {
    const workspace = await workspaceWith();
    const empty = await run(workspace, "mkdir -p notes/out/deep");
    expect([empty.status, JSON.stringify(empty.validation_result)]).toEqual([
      "failure",
      expect.stringContaining("MISSING_OUTPUT"),
    ]);
    expect((await run(workspace, fill)).status).toBe("success");
    expect(readFileSync(join(workspace.root, "notes/out/deep/b.md"), "utf8")).toBe("b\n");
  });

  test("holds every file of the folder against its schema", async () => {
    const workspace = await workspaceWith();
    mkdirSync(join(workspace.root, "schemas"), { recursive: true });
    const typed = { declared_outputs: [{ path: "notes/out/", schema_id: "budget_v1" }] };
    const wrong = await run(
      workspace,
      "mkdir -p notes/out; echo '{\"token_limit\": 5}' >notes/out/a.json; echo '[]' >notes/out/b.json",
      typed,
    );
    expect([wrong.status, JSON.stringify(wrong.validation_result)]).toEqual([
      "failure",
      expect.stringContaining("notes/out/b.json"),
    ]);
    const right = await run(workspace, "mkdir -p notes/out; echo '{\"token_limit\": 5}' >notes/out/a.json", typed);
    expect(right.status).toBe("success");
  });
});
