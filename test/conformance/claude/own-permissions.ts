import { shippedRegistry } from "#core/contracts";
import { type JsonObject } from "#core/values";
import { createMandate } from "#governance/mandate";
import { readSettings } from "../../../src/governance/claude/settings/read-settings.ts";
import { compileMandate } from "../../../src/governance/mandate/compile-mandate.ts";
import { memoryFiles } from "../../support/memory-files.ts";
import { type Outcome, type Row, row } from "./decisions.ts";

/** Settings, a call, and what Claude Code's documentation says becomes of it. */
export interface PermissionCase {
  readonly permissions: JsonObject;
  readonly tool: string;
  readonly args: JsonObject;
  readonly about: string;
  readonly documented: Outcome;
}

type Called = Pick<PermissionCase, "tool" | "args" | "about">;

const sh = (line: string): Called => ({ tool: "exec", args: { command: ["sh", "-c", line] }, about: `Bash: ${line}` });
const write = (path: string): Called => ({
  tool: "fs.write",
  args: { path, content: "", expected_hash: "", why: "" },
  about: `Write: ${path}`,
});
const edit = (path: string): Called => ({ tool: "fs.edit", args: { path, edits: [] }, about: `Edit: ${path}` });
const read = (path: string): Called => ({ tool: "fs.read", args: { path }, about: `Read: ${path}` });
const mcp = (tool: string): Called => ({ tool, args: {}, about: `mcp__${tool.replace(".", "__")}` });
const of = (
  permissions: JsonObject,
  cases: readonly (readonly [call: Called, documented: Outcome])[],
): readonly PermissionCase[] => cases.map(([call, documented]) => ({ permissions, ...call, documented }));

/** Every row of the documentation's tables and paragraphs about rules, with the decision that it states. */
export const ownPermissions: readonly PermissionCase[] = [
  ...of({ deny: ["Bash(aws *)"], allow: ["Bash(aws s3 ls)"] }, [
    [sh("aws s3 ls"), "deny"],
    [sh("aws ec2 x"), "deny"],
  ]),
  ...of({ ask: ["Bash(git push *)"], allow: ["Bash(git *)"] }, [
    [sh("git push origin"), "ask"],
    [sh("git fetch"), "allow"],
    [sh("git push"), "ask"],
  ]),
  ...of({ allow: ["Bash(npm run build)"] }, [
    [sh("npm run build"), "allow"],
    [sh("npm run build --force"), "ask"],
  ]),
  ...of({ allow: ["Bash(npm run test *)"] }, [
    [sh("npm run test"), "allow"],
    [sh("npm run test unit"), "allow"],
    [sh("npm run testing"), "ask"],
  ]),
  ...of({ allow: ["Bash(* install)"] }, [
    [sh("npm install"), "allow"],
    [sh("npm install x"), "ask"],
  ]),
  ...of({ allow: ["Bash(git * main)"] }, [
    [sh("git checkout main"), "allow"],
    [sh("git push origin main"), "allow"],
    [sh("git push origin topic"), "ask"],
  ]),
  ...of({ allow: ["Bash(ls *)"], deny: ["Bash(lsof*)"] }, [
    [sh("ls -la"), "allow"],
    [sh("lsof"), "deny"],
  ]),
  ...of({ allow: ["Bash(ls:*)"] }, [[sh("ls -la"), "allow"]]),
  ...of({ allow: ["Bash(git:* push)"] }, [[sh("git push"), "ask"]]),
  ...of({ allow: ["Bash(safe-cmd *)"] }, [
    [sh("safe-cmd x"), "allow"],
    [sh("safe-cmd x && other-cmd"), "ask"],
    [sh("safe-cmd x | other-cmd"), "ask"],
    [sh("safe-cmd x; other-cmd"), "ask"],
    [sh("safe-cmd x & other-cmd"), "ask"],
    [sh("safe-cmd x\nother-cmd"), "ask"],
    [sh("safe-cmd x || safe-cmd y"), "allow"],
  ]),
  ...of({ allow: ["Bash(npm test *)"] }, [
    [sh("timeout 30 npm test"), "allow"],
    [sh("nohup npm test"), "allow"],
    [sh("NODE_ENV=test npm test"), "allow"],
    [sh("LD_PRELOAD=x npm test"), "ask"],
  ]),
  ...of({ allow: ["Bash(grep *)"] }, [
    [sh("cat notes.md | xargs grep pattern"), "allow"],
    [sh("xargs -n1 grep pattern"), "ask"],
  ]),
  ...of({ deny: ["Bash(rm *)"], allow: ["Bash"] }, [
    [sh("FOO=bar rm -rf tmp/"), "deny"],
    [sh("echo $(rm -rf /)"), "deny"],
    [sh("make"), "allow"],
    [sh("sh -c 'rm x'"), "allow"],
  ]),
  ...of({ allow: ["Bash(watch *)", "Bash(find *)"] }, [
    [sh("watch ls"), "ask"],
    [sh("find . -name x -exec rm {} +"), "ask"],
    [sh("find . -name x"), "allow"],
  ]),
  ...of({ allow: ["Bash(git commit *)"] }, [
    [sh("git commit -m x > out.txt"), "ask"],
    [sh("git commit -m x > /dev/null"), "allow"],
  ]),
  ...of({}, [
    [sh("ls -la"), "allow"],
    [sh("cat a.md | head -3"), "allow"],
    [sh("git status"), "allow"],
    [sh("ls > out.txt"), "ask"],
    [sh("find . -name x -delete"), "ask"],
    [sh("cd app && git status"), "ask"],
    [sh("make"), "ask"],
    [read("a.md"), "allow"],
    [write("a.md"), "ask"],
    [mcp("memory.read_graph"), "ask"],
  ]),
  ...of({ defaultMode: "acceptEdits" }, [
    [write("a.md"), "allow"],
    [sh("make"), "ask"],
    [sh("mkdir x"), "allow"],
  ]),
  ...of({ defaultMode: "plan" }, [
    [write("a.md"), "deny"],
    [read("a.md"), "allow"],
    [sh("ls"), "allow"],
  ]),
  ...of({ defaultMode: "dontAsk", allow: ["Bash(make *)"] }, [
    [sh("make x"), "allow"],
    [sh("npm x"), "deny"],
    [write("a.md"), "deny"],
  ]),
  ...of({ defaultMode: "bypassPermissions", deny: ["Bash(rm *)"], ask: ["Bash(git push *)"] }, [
    [sh("make"), "allow"],
    [sh("rm x"), "deny"],
    [sh("git push"), "ask"],
  ]),
  ...of({ deny: ["Read(./.env)"] }, [
    [read(".env"), "deny"],
    [read("sub/.env"), "allow"],
    [sh("cat .env"), "deny"],
    [write(".env"), "deny"],
  ]),
  ...of({ deny: ["Read(.env)"] }, [
    [read(".env"), "deny"],
    [read("sub/.env"), "deny"],
  ]),
  ...of({ deny: ["Read(//**/.env)"] }, [[read("sub/.env"), "deny"]]),
  ...of({ deny: ["Read(secrets/**)"] }, [
    [read("secrets/a"), "deny"],
    [read("vendor/secrets/a"), "deny"],
  ]),
  ...of({ deny: ["Edit(/src/**)"], allow: ["Edit"] }, [
    [edit("src/a.ts"), "deny"],
    [edit("vendor/src/a.ts"), "allow"],
    [read("src/a.ts"), "allow"],
    [sh("echo x > src/a.ts"), "deny"],
  ]),
  ...of({ allow: ["Edit(src/**)"] }, [
    [edit("src/a.ts"), "allow"],
    [edit("vendor/src/a.ts"), "ask"],
  ]),
  ...of({ allow: ["Edit(**/src/**)"] }, [[edit("vendor/src/a.ts"), "allow"]]),
  ...of({ allow: ["Write(docs/**)"] }, [[write("docs/a.md"), "ask"]]),
  ...of({ deny: ["mcp__*"] }, [[mcp("memory.read_graph"), "deny"]]),
  ...of({ allow: ["mcp__memory"] }, [
    [mcp("memory.read_graph"), "allow"],
    [mcp("other.read"), "ask"],
  ]),
  ...of({ allow: ["mcp__memory__read_*"] }, [
    [mcp("memory.read_graph"), "allow"],
    [mcp("memory.delete"), "ask"],
  ]),
  ...of({ allow: ["*", "B*", "mcp__*"] }, [
    [sh("make"), "ask"],
    [mcp("memory.read_graph"), "ask"],
  ]),
  ...of({ deny: ["*"] }, [
    [read("a.md"), "deny"],
    [sh("ls"), "deny"],
  ]),
  ...of({ ask: ["Bash"], allow: ["Bash(ls *)"] }, [[sh("ls"), "ask"]]),
];

const root = "/home/ada/w";

/** Decides a case as an order would be decided that grants everything itself. */
export async function runPermissionCase({ permissions, tool, args, about, documented }: PermissionCase): Promise<Row> {
  const settings = await readSettings({
    root,
    env: { HOME: "/home/ada" },
    managed: "/absent",
    isTrusted: true,
    files: memoryFiles({ [`${root}/.claude/settings.json`]: JSON.stringify({ permissions }) }),
  });
  if (!settings.ok) throw new Error(settings.error.message);
  const order = {
    work_order_id: "WO-20261115-001",
    type: "tool-call",
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    scope: { allowed_files: ["**"], read_files: ["**"], code_that_runs: ["**"] },
    acceptance: { tests: [], checks: [] },
    tool_permissions: ["**"],
  } as never;
  const config = {
    default_budget: { token_limit: 1, turn_limit: 1, timeout_seconds: 1 },
    execution_timeout_seconds: 1,
    delegation: { max_depth: 1, max_fan_out: 1 },
  };
  const manifest = { framework_id: "FMWK-005", path_authorizations: ["**"] } as never;
  const document = compileMandate({
    order,
    framework: { manifest },
    skill: null,
    config,
    settings: settings.value.permissions,
  });
  const mandate = createMandate(document, shippedRegistry());
  if (!mandate.ok) throw new Error(mandate.error.message);
  const called = mandate.value.decide({ kind: "tool", tool, args });
  const path = typeof args["path"] === "string" ? args["path"] : undefined;
  const act = path === undefined ? called : mandate.value.decide({ kind: tool === "fs.read" ? "read" : "write", path });
  const found = !called.allowed || !act.allowed ? "deny" : called.approval || act.approval ? "ask" : "allow";
  return row(JSON.stringify(permissions), about, [documented, found], called.reason);
}
