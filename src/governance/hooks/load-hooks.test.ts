import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import { systemClock } from "#core/values";
import { type HookWorkspace, hookWorkspace } from "../../../test/support/hook-workspace.ts";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { createRedactor } from "../../log/redaction/redactor.ts";
import { backgroundPrograms } from "./background.ts";
import { createHooks } from "./create-hooks.ts";
import { hookModules } from "./hook-modules.ts";
import { loadHooks } from "./load-hooks.ts";

let workspace: HookWorkspace;
const modules = hookModules(systemClock);
beforeAll(async () => {
  workspace = await hookWorkspace();
});
afterAll(async () => {
  await modules.close();
  await workspace.close();
});

test.for([
  { config: { preToolUse: [] }, says: /no point "preToolUse"; did you mean PreToolUse\?/ },
  { config: { Notification: [] }, says: /no point "Notification"; the points are SessionStart/ },
  { config: { PreToolUse: [{ hooks: [{ type: "shell", command: "x" }] }] }, says: /one of "command", "module"/ },
  {
    config: { PreToolUse: [{ hooks: [{ type: "command" }] }] },
    says: /hooks\.PreToolUse\[0\]\.hooks\[0\]: type command needs "command"/,
  },
  {
    config: { PreToolUse: [{ hooks: [{ type: "module", module: "../evil.js" }] }] },
    says: /lies outside the workspace/,
  },
  {
    config: { PreToolUse: [{ hooks: [{ type: "module", module: "/etc/hook.js" }] }] },
    says: /lies outside the workspace/,
  },
  {
    config: { PreToolUse: [{ hooks: [{ type: "module", module: "hooks/readme.md" }] }] },
    says: /neither JavaScript nor TypeScript/,
  },
  { config: { PreToolUse: [{ matcher: "(?!x)", hooks: [] }] }, says: /hooks\.PreToolUse\[0\]: the matcher/ },
  {
    config: { PreToolUse: [{ hooks: [{ type: "command", command: "x", timout: 5 }] }] },
    says: /timout expected no such field \(did you mean "timeout"\?\)/,
  },
  { config: { PreToolUse: [{ hooks: [{ type: "command", command: "x", timeout: 0 }] }] }, says: /timeout/ },
])("a configuration that says $config is refused in words", async ({ config, says }) => {
  const loaded = await workspace.load(config);
  expect(loaded).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
  if (!loaded.ok) expect(loaded.error.message).toMatch(says);
});

test("the shape that people already have is read, with its limits", async () => {
  const loaded = await workspace.load({
    PreToolUse: [{ matcher: "fs.*", hooks: [{ type: "command", command: "hooks/check.sh", timeout: 5 }] }],
    Stop: [{ hooks: [{ type: "command", command: "say done" }] }],
  });
  expect(loaded).toMatchObject({
    ok: true,
    value: [
      { id: "hooks/check.sh", point: "PreToolUse", matcher: "fs.*", timeoutMs: 5000, kind: "command" },
      { id: "say done", point: "Stop", timeoutMs: 60_000, kind: "command" },
    ],
  });
});

test("a hook that names no time limit has that of writ.yaml, and one that names one has its own", async () => {
  const hooks = [
    { type: "command", command: "say done" },
    { type: "command", command: "hooks/check.sh", timeout: 5 },
  ];
  const loaded = await workspace.load({ Stop: [{ hooks }] }, 3);
  expect(loaded).toMatchObject({ ok: true, value: [{ timeoutMs: 3_000 }, { timeoutMs: 5_000 }] });
});

test("the hash of a hook changes with the bytes of its program, its module and what the module imports", async () => {
  const config = {
    PreToolUse: [
      { hooks: [{ type: "command", command: 'python3 "$CLAUDE_PROJECT_DIR/hooks/check.py" --strict' }] },
      { hooks: [{ type: "module", module: "hooks/policy.mjs" }] },
    ],
  };
  const hashes = async () => {
    const loaded = await workspace.load(config);
    if (!loaded.ok) throw new Error(loaded.error.message);
    return loaded.value.map(({ hash }) => hash);
  };
  await workspace.write("hooks/check.py", "print()");
  await workspace.write("hooks/policy.mjs", 'import { rule } from "./lib/rule.mjs"; export default rule;');
  await workspace.write("hooks/lib/rule.mjs", 'export const rule = () => ({ decision: "allow" });');
  const before = await hashes();
  expect(await hashes()).toEqual(before);
  await workspace.write("hooks/check.py", "print('{}')");
  const withProgram = await hashes();
  expect(withProgram[0]).not.toBe(before[0]);
  expect(withProgram[1]).toBe(before[1]);
  await workspace.write("hooks/lib/rule.mjs", 'export const rule = () => ({ decision: "deny", reason: "no" });');
  expect((await hashes())[1]).not.toBe(before[1]);
});

test("a hook whose bytes changed after it was loaded denies, and a fresh load asks it again", async () => {
  const config = {
    PreToolUse: [{ hooks: [{ type: "command", command: "hooks/swap.sh" }] }],
    Stop: [{ hooks: [{ type: "module", module: "hooks/swap.mjs" }] }],
  };
  await workspace.write("hooks/swap.sh", "#!/bin/sh\nexit 0\n");
  await workspace.write("hooks/swap.mjs", 'export default () => ({ decision: "allow" });');
  const hooks = await workspace.hooks(config);
  const fire = (asked: typeof hooks, point: "PreToolUse" | "Stop") =>
    asked.fire(point, { payload: {} }, { recorder: workspace.recorder });
  for (const point of ["PreToolUse", "Stop"] as const)
    expect(await fire(hooks, point)).toMatchObject({ value: { decision: "allow" } });
  await workspace.write("hooks/swap.sh", "#!/bin/sh\nexit 0 # and more\n");
  await workspace.write("hooks/swap.mjs", 'export default () => ({ decision: "allow", reason: "swapped" });');
  for (const point of ["PreToolUse", "Stop"] as const)
    expect(await fire(hooks, point)).toMatchObject({
      value: { decision: "deny", reason: expect.stringContaining("was changed after it was loaded") },
    });
  const again = await workspace.hooks(config);
  expect(await fire(again, "PreToolUse")).toMatchObject({ value: { decision: "allow" } });
});

test("many requests at once share a module's process and never each other's answers", async () => {
  await workspace.write(
    "hooks/echo.mjs",
    "export default async ({ args }) => { await new Promise((r) => setTimeout(r, args.n % 7)); return { decision: 'transform', output: { n: args.n } }; };",
  );
  const hooks = await workspace.hooks({ PreToolUse: [{ hooks: [{ type: "module", module: "hooks/echo.mjs" }] }] });
  const all = Array.from({ length: 100 }, async (_, n) => {
    const recorder = memoryRecorder({ seed: n + 1 });
    const fired = await hooks.fire("PreToolUse", { payload: { tool: "t", args: { n } } }, { recorder });
    return { fired, events: recorder.of("hook.fired").length };
  });
  for (const [n, { fired, events }] of (await Promise.all(all)).entries()) {
    expect(fired).toMatchObject({ value: { decision: "transform", output: { n } } });
    expect(events).toBe(1);
  }
});

test("a TypeScript module answers", async () => {
  await workspace.write(
    "hooks/typed.ts",
    `interface Call { tool: string }
     export default (input: Call): { decision: "deny"; reason: string } => ({ decision: "deny", reason: \`no \${input.tool} today\` });`,
  );
  expect(await workspace.ask({ type: "module", module: "hooks/typed.ts" })).toMatchObject({
    decision: "deny",
    reason: "no fs.write today",
  });
});

const redactor = createRedactor();
const redact = (text: string) => {
  if (!redactor.ok) throw new Error(redactor.error.message);
  return redactor.value.redactText(text).text;
};
const withShipped = async (disable: readonly string[] = []) =>
  loadHooks({
    config: { disable },
    root: workspace.root,
    files: nodeFiles,
    modules,
    background: backgroundPrograms(),
    schemas: shippedRegistry(),
    shipped: {
      folder: join(import.meta.dirname, "../../../hooks"),
      importModule: (path) => import(path),
      redact,
    },
  });
const shipped = async (disable: readonly string[] = []) => {
  const loaded = await withShipped(disable);
  if (!loaded.ok) throw new Error(loaded.error.message);
  return createHooks({ handlers: loaded.value, schemas: shippedRegistry(), clock: systemClock });
};
const context = { recorder: memoryRecorder() };

test("Writ ships four policies", async () => {
  const hooks = await shipped();
  expect(hooks.list().map(({ id, point, priority }) => `${priority} ${id} at ${point}`)).toEqual([
    "80 redact-pii at UserPromptSubmit",
    "100 deny-dangerous-tools at PreToolUse",
    "10 pre_tool_use_default at PreToolUse",
    "80 redact-pii at PostToolUse",
    "10 stop-after-terminal at Stop",
  ]);
});

test("a policy that is disabled is not in force, and one that does not exist is an error", async () => {
  expect(
    (await shipped(["pre_tool_use_default", "deny-dangerous-tools", "stop-after-terminal"])).list().map(({ id }) => id),
  ).toEqual(["redact-pii", "redact-pii"]);
  expect(await withShipped(["redact-ppi"])).toMatchObject({
    ok: false,
    error: { code: "CONFIG_INVALID", message: expect.stringContaining('"redact-ppi"') },
  });
});

test.for(["rm", "delete", "drop_table", "fs.rm", "mcp__db__drop_table", "server/Delete"])(
  "the tool %s is dangerous by its name",
  async (tool) => {
    const hooks = await shipped();
    expect(await hooks.fire("PreToolUse", { subject: tool, payload: { tool, args: {} } }, context)).toMatchObject({
      value: { decision: "deny", decidedBy: "deny-dangerous-tools" },
    });
  },
);

test.for(["echo", "fs.write", "format", "undelete_later", "rmdir_list"])("the tool %s is not", async (tool) => {
  const hooks = await shipped();
  expect(await hooks.fire("PreToolUse", { subject: tool, payload: { tool, args: {} } }, context)).toMatchObject({
    value: { decision: "allow" },
  });
});

test("a card number leaves the prompt and the results, in values and in keys", async () => {
  const hooks = await shipped();
  expect(
    await hooks.fire("UserPromptSubmit", { payload: { prompt: "pay 4111111111111111 now" } }, context),
  ).toMatchObject({
    value: { decision: "transform", output: { prompt: "pay [REDACTED:card] now" } },
  });
  const result = { rows: [{ card: "4111111111111111", n: 1 }], "4111111111111111": true };
  expect(await hooks.fire("PostToolUse", { payload: { tool: "t", args: {}, result } }, context)).toMatchObject({
    value: { decision: "transform", output: { rows: [{ card: "[REDACTED:card]", n: 1 }], "[REDACTED:card]": true } },
  });
  expect(await hooks.fire("UserPromptSubmit", { payload: { prompt: "hello" } }, context)).toMatchObject({
    value: { decision: "allow" },
  });
});

test.for([
  "4111111111111111",
  "4111 1111 1111 1111",
  "4111-1111-1111-1111",
  "x4111111111111111y",
  "４１１１１１１１１１１１１１１１",
  "378282246310005",
])("a card number written as %s does not get past the prompt", async (card) => {
  const hooks = await shipped();
  const fired = await hooks.fire("UserPromptSubmit", { payload: { prompt: `charge ${card} please` } }, context);
  expect(fired).toMatchObject({ value: { decision: "transform" } });
  expect(JSON.stringify(fired).normalize("NFKC").replaceAll(/[\s-]/g, "")).not.toContain(
    card.normalize("NFKC").replaceAll(/\D/g, ""),
  );
});

test("the loop ends after a pass, and a failed review may go on to rework", async () => {
  const hooks = await shipped();
  expect(await hooks.fire("Stop", { payload: { ok: true, verdict: "pass", rework_count: 0 } }, context)).toMatchObject({
    value: { decision: "deny" },
  });
  expect(await hooks.fire("Stop", { payload: { ok: false, verdict: "fail", rework_count: 0 } }, context)).toMatchObject(
    { value: { decision: "allow" } },
  );
});

test.each([
  ["a program", { type: "command", command: "checks/guard.sh --strict" }, "checks/guard.sh"],
  ["a program that is not there yet", { type: "command", command: "checks/later.sh" }, "checks/later.sh"],
  ["a file that the program reads", { type: "command", command: "grep -f checks/guard.sh" }, "checks/guard.sh"],
  ["a module", { type: "module", module: "checks/guard.mjs" }, "checks/guard.mjs"],
  ["an import of a module", { type: "module", module: "hooks/guard.mjs" }, "checks/rules.mjs"],
])("%s that an agent could write is refused: it would be code of the next session", async (_, hook, path) => {
  await workspace.write("checks/guard.sh", "exit 0\n");
  await workspace.write("checks/guard.mjs", "export default () => ({});\n");
  await workspace.write("hooks/guard.mjs", 'import "../checks/rules.mjs";\n');
  const loaded = await workspace.load({ PreToolUse: [{ hooks: [hook] }] });
  expect(loaded).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
  expect(!loaded.ok && loaded.error.message).toContain(`"${path}" lies where an agent may be allowed to write`);
});
