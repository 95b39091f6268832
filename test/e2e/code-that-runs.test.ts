// Files that run by themselves, and folders that Writ and a project both have: the order decides, by name or by class.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions, workOrder } from "../support/runtime-workspace.ts";
import { usualSecretFiles } from "../support/usual-secret-files.ts";

async function workspaceWith(options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await testWorkspace(options);
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

const calling = (tool: string, args: object, scope: object, more: object = {}) =>
  workOrder({
    type: "tool-call",
    scope,
    input: { tool, args },
    tool_permissions: [tool],
    schema_version: "v2",
    ...more,
  });

async function flowRun(workspace: TestWorkspace, order: object): Promise<FlowResult> {
  const { text } = await cliWith({ cwd: workspace.root, input: JSON.stringify(order) }, "flow", "run", "-", "--json");
  return JSON.parse(text) as FlowResult;
}

const write = (path: string) => ({ path, content: "{}\n", expected_hash: "", why: "a test" });

async function writes(workspace: TestWorkspace, path: string, scope: object): Promise<string | null> {
  const { error_code } = await flowRun(workspace, calling("fs.write", write(path), scope));
  expect(existsSync(join(workspace.root, path))).toBe(error_code === null);
  return error_code ?? null;
}

const everything = { allowed_files: ["**"] };

describe("an npm monorepo", () => {
  test("its sources and its package.json are written where the order names them, and not by **", async () => {
    const workspace = await workspaceWith();
    expect(await writes(workspace, "packages/a/package.json", everything)).toBe("CAPABILITY_VIOLATION");
    expect(await writes(workspace, "packages/a/src/index.ts", everything)).toBe("CAPABILITY_VIOLATION");
    const folder = { allowed_files: ["packages/a/**"] };
    expect(await writes(workspace, "packages/a/src/index.ts", folder)).toBeNull();
    expect(await writes(workspace, "packages/a/package.json", folder)).toBe("CAPABILITY_VIOLATION");
    const exact = { allowed_files: ["packages/a/package.json", "package.json"] };
    expect(await writes(workspace, "packages/a/package.json", exact)).toBeNull();
    expect(await writes(workspace, "package.json", exact)).toBeNull();
    const byClass = { allowed_files: ["src/**"], code_that_runs: ["packages/**", ".github/workflows/*.yml"] };
    expect(await writes(workspace, "packages/b/package.json", byClass)).toBeNull();
    expect(await writes(workspace, ".github/workflows/ci.yml", byClass)).toBeNull();
    expect(await writes(workspace, "Makefile", byClass)).toBe("CAPABILITY_VIOLATION");
  });

  test("a program writes them by the same rule, and what it wrote beyond it lands nowhere", async () => {
    const workspace = await workspaceWith();
    const script = "mkdir -p packages/a && echo '{}' >packages/a/package.json && echo x >packages/a/x.ts";
    const exec = (scope: object) => flowRun(workspace, calling("exec", { command: ["sh", "-c", script] }, scope));
    const refused = await exec({ allowed_files: ["packages/**"] });
    expect(refused.error_code).toBe("UNDECLARED_WRITE");
    expect(existsSync(join(workspace.root, "packages/a"))).toBe(false);
    const done = await exec({ allowed_files: ["packages/**"], code_that_runs: ["**/package.json"] });
    expect(done.error).toBeNull();
    expect(readFileSync(join(workspace.root, "packages/a/package.json"), "utf8")).toBe("{}\n");
  });

  test("what Writ obeys is written by no order, however it names it", async () => {
    const workspace = await workspaceWith({
      files: { "hooks/check.mjs": "export default () => ({ decision: 'allow' });\n" },
      config: { hooks: { PreToolUse: [{ matcher: "echo", hooks: [{ type: "module", module: "hooks/check.mjs" }] }] } },
    });
    const own = [
      "packages/PKG-EVIL/manifest.json",
      "packages/.journal.json",
      "schemas/evil_v1.json",
      "agents/lead.md",
      "hooks/lib.mjs",
      "skills/evil/SKILL.md",
      "writ.local.yaml",
      "planes/hot/keys/other.pem",
      "AGENTS.md",
    ];
    for (const path of own) {
      const scope = { allowed_files: [path, "**"], code_that_runs: [path, "**"] };
      expect([path, await writes(workspace, path, scope)]).toEqual([path, "CAPABILITY_VIOLATION"]);
    }
  });

  test("hooks/, agents/ and schemas/ are the project's own where Writ has nothing in them", async () => {
    const workspace = await workspaceWith();
    for (const path of ["hooks/useThing.ts", "agents/run.py", "schemas/user.graphql"]) {
      expect([path, await writes(workspace, path, everything)]).toEqual([path, "CAPABILITY_VIOLATION"]);
      const scope = { allowed_files: [`${path.split("/")[0]}/**`] };
      expect([path, await writes(workspace, path, scope)]).toEqual([path, null]);
    }
    // The gates over files still pass: what Writ does not read is nobody's asset.
    const { text, status } = await cliWith({ cwd: workspace.root }, "gate", "check", "--json");
    expect([status, text]).toEqual([0, expect.any(String)]);
  });
});

describe("a person sees it", () => {
  test("flow explain has a line of its own for code that runs", async () => {
    const workspace = await workspaceWith();
    const order = calling("fs.write", write("package.json"), {
      allowed_files: ["src/**", "package.json"],
      code_that_runs: ["packages/**"],
    });
    writeFileSync(join(workspace.root, "order.json"), JSON.stringify(order));
    const { text } = await cliWith({ cwd: workspace.root }, "flow", "explain", "order.json");
    expect(text).toContain("code that runs");
    expect(text).toMatch(/\(scope\.code_that_runs\): packages\/\*\*/);
    expect(text).toContain("named exactly: package.json");
  });

  test("--allow-code grants it to a tool call, and --allow '**' does not", async () => {
    const workspace = await workspaceWith();
    const call = (...more: readonly string[]) =>
      cliWith({ cwd: workspace.root }, "tool", "call", "fs.write", JSON.stringify(write("Makefile")), ...more);
    expect((await call("--allow", "**")).text).toContain("code that runs");
    expect(existsSync(join(workspace.root, "Makefile"))).toBe(false);
    expect((await call("--allow-code", "Makefile")).status).toBe(0);
    expect(existsSync(join(workspace.root, "Makefile"))).toBe(true);
  });

  test("an approval says that the call writes code that runs", async () => {
    const workspace = await workspaceWith();
    const order = calling(
      "fs.write",
      write("package.json"),
      { allowed_files: ["package.json"] },
      {
        approvals: [{ tools: ["fs.write"], reason: "look first" }],
      },
    );
    expect((await flowRun(workspace, order)).status).toBe("waiting");
    const { text } = await cliWith({ cwd: workspace.root }, "inbox", "list", "--json");
    expect(text).toContain("code that runs: package.json");
  });
});

describe("secret files", () => {
  const marked = "hunter2-marker";
  const files = Object.fromEntries(usualSecretFiles.map((path) => [`home/${path}`, `${marked}\n`]));

  test("under ** none of the usual ones is read, listed or found, by a tool or by a program", {
    timeout: 120_000,
  }, async () => {
    const workspace = await workspaceWith({
      files: {
        ...files,
        "home/readme.md": "plain\n",
        "home/own.vault": `${marked}\n`,
        "home/safe/a.txt": `${marked}\n`,
      },
      config: { paths: { unreadable: ["*.vault", "home/safe/"] } },
    });
    const run = async (tool: string, args: object) => {
      const result = await flowRun(workspace, calling(tool, args, everything));
      return JSON.stringify(result);
    };
    expect(await run("fs.search", { pattern: marked })).not.toContain("home/");
    const listed = await run("fs.list", { path: "home", depth: 6 });
    expect(listed).toContain("readme.md");
    for (const path of [...usualSecretFiles, "own.vault", "safe/a.txt"])
      expect([path, listed.includes(`"home/${path}"`)]).toEqual([path, false]);
    const seen = await run("exec", { command: ["sh", "-c", `grep -rl ${marked} . ; cat home/readme.md`] });
    expect(seen).toContain("plain");
    expect(seen).not.toContain("home/");
    for (const path of [".pgpass", ".kube/config", "prod.env", "own.vault", "safe/a.txt"])
      expect(await run("fs.read", { path: `home/${path}` })).toContain("CAPABILITY_VIOLATION");
  });

  test("what writ.yaml protects is written by no order, and what it calls code needs its class", async () => {
    const workspace = await workspaceWith({
      config: { paths: { protected: ["LICENSE", "legal/"], code_that_runs: ["*.nomad"] } },
    });
    const scope = { allowed_files: ["**", "LICENSE", "legal/terms.md"], code_that_runs: ["**"] };
    expect(await writes(workspace, "LICENSE", scope)).toBe("CAPABILITY_VIOLATION");
    expect(await writes(workspace, "legal/terms.md", scope)).toBe("CAPABILITY_VIOLATION");
    expect(await writes(workspace, "deploy/web.nomad", everything)).toBe("CAPABILITY_VIOLATION");
    expect(await writes(workspace, "deploy/web.nomad", scope)).toBeNull();
  });
});
