// The guides say what to type; here it is typed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "#compose";
import { parseYaml } from "#schemas";
import { type HookWorkspace, hookWorkspace } from "../support/hook-workspace.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { consoleOf, snippetsOf } from "../support/snippets.ts";
import { writ } from "../support/writ.ts";

let workspace: HookWorkspace;
beforeAll(async () => {
  workspace = await hookWorkspace();
  for (const guide of ["write-a-hook.md", "write-a-skill.md"])
    for (const [file, code] of Object.entries(snippetsOf(guide))) await workspace.write(file, code);
});
afterAll(() => workspace.close());

const hooksOf = (file: string) => {
  const parsed = parseYaml(snippetsOf("write-a-hook.md")[file] ?? "");
  if (!parsed.ok) throw new Error(parsed.error.message);
  return (parsed.value as { hooks: unknown }).hooks;
};
const fire = async (file: string, args: { readonly [key: string]: string | number }) => {
  const hooks = await workspace.hooks(hooksOf(file));
  return hooks.fire(
    "PreToolUse",
    { subject: "fs.write", payload: { tool: "fs.write", args } },
    { recorder: workspace.recorder },
  );
};

test("the module of the guide decides as the guide says", async () => {
  expect(await fire("writ.yaml", { hour: 9 })).toMatchObject({ value: { decision: "allow" } });
  expect(await fire("writ.yaml", { hour: 22 })).toMatchObject({
    value: { decision: "deny", reason: "fs.write is closed at 22 o'clock" },
  });
});

test("the program of the guide decides as the guide says", async () => {
  expect(await fire("program.yaml", { path: "notes.md" })).toMatchObject({ value: { decision: "allow" } });
  expect(await fire("program.yaml", { path: ".env" })).toMatchObject({
    value: { decision: "deny", reason: "files with secrets stay closed" },
  });
});

test("the guide's writ.yaml is in force in a workspace", async () => {
  const { status, stdout } = await writ(["hook", "list"], { cwd: workspace.root });
  expect(status).toBe(0);
  expect(stdout).toMatch(/PreToolUse +hooks\/office-hours\.mjs +0 +fs\.write +module/);
});

test("the skill of the guide is found, and its commands print what the guide shows", async () => {
  const shown = consoleOf("write-a-skill.md");
  expect(shown).toHaveLength(1);
  for (const { command, output } of shown) {
    const [, ...args] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
    expect(await writ(args, { cwd: workspace.root })).toEqual({ status: 0, stdout: output, stderr: "" });
  }
});

test("the profiles and cassettes of the guide to real models are valid configuration", async () => {
  const snippets = snippetsOf("use-a-real-model.md");
  expect(Object.keys(snippets)).toEqual(["writ.yaml", "cassette.yaml"]);
  for (const code of Object.values(snippets)) {
    const config = await readConfig("/w", memoryFiles({ "/w/writ.yaml": code }));
    expect(config).toMatchObject({ ok: true });
  }
});
