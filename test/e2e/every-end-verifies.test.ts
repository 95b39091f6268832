// However a request ends, its record is whole: what was announced has an end, and `session verify` finds no gap.

import { expect, test } from "vitest";
import { isSessionId } from "#core/values";
import { testWorkspace, type WorkspaceOptions } from "../support/runtime-workspace.ts";

const deny = (point: string) => ({ hooks: { [point]: [{ hooks: [{ type: "command", command: "exit 2" }] }] } });
const hang = (point: string) => ({
  hooks: { [point]: [{ hooks: [{ type: "command", command: "sleep 60", timeout: 0.2 }] }] },
});
const answer = (role: string, respond: object) => ({ rules: [{ when: { role }, respond }] });
const echo = { tool_calls: [{ name: "echo", args: { text: "again" } }] };

interface Ending {
  readonly end: string;
  readonly workspace: WorkspaceOptions;
  readonly prompt?: string;
  readonly status: string;
}

const endings: readonly Ending[] = [
  { end: "success", workspace: {}, status: "success" },
  { end: "SessionStart denies", workspace: { config: deny("SessionStart") }, status: "rejected" },
  { end: "the prompt is denied", workspace: { config: deny("UserPromptSubmit") }, status: "rejected" },
  { end: "SkillStart denies", workspace: { config: deny("SkillStart") }, status: "rejected" },
  { end: "SkillStart hangs", workspace: { config: hang("SkillStart") }, status: "rejected" },
  { end: "PreToolUse denies", workspace: { config: deny("PreToolUse") }, status: "failure" },
  { end: "PostToolUse denies", workspace: { config: deny("PostToolUse") }, status: "failure" },
  { end: "PostToolUse hangs", workspace: { config: hang("PostToolUse") }, status: "failure" },
  { end: "Stop hangs", workspace: { config: hang("Stop") }, status: "success" },
  { end: "the lead talks", workspace: answer("lead", { raw: "Well." }), status: "failure" },
  { end: "the planner talks", workspace: answer("planner", { raw: "{" }), status: "failure" },
  { end: "the worker talks", workspace: answer("worker", { text: "no JSON" }), status: "failure" },
  {
    end: "the reviewer fails it",
    workspace: answer("reviewer", { json: { verdict: "fail", feedback: "no", schema_version: "v1" } }),
    status: "waiting", // for a person: how it ends after their word is shown in test/http/approvals
  },
  { end: "the worker never stops calling", workspace: answer("worker", echo), status: "failure" },
  {
    end: "the provider is down",
    workspace: answer("planner", { error: { status: 500, retryable: false } }),
    status: "failure",
  },
  { end: "the money is gone", workspace: { config: { budget: { token_limit: 60 } } }, status: "rejected" },
  {
    end: "time runs out",
    workspace: { ...answer("planner", { text: "x", delay_ms: 20_000 }), config: { budget: { timeout_seconds: 1 } } },
    status: "timeout",
  },
  {
    end: "one word of 100 kB",
    workspace: { config: { budget: { token_limit: 1_000_000 } } },
    prompt: `greet ${"a".repeat(100_000)}`,
    status: "success",
  },
  { end: "nothing was asked", workspace: {}, prompt: "", status: "success" },
];

test.each(endings)("$end: $status, and the record verifies", async ({ workspace: options, prompt, status }) => {
  await using workspace = await testWorkspace(options);
  const result = await workspace.ask(prompt ?? "greet Ada");
  if (result.session_id == null || !isSessionId(result.session_id)) throw new Error("no session");
  const verified = await workspace.runtime.verifySession(result.session_id);
  expect({ violations: verified.violations, status: result.status, code: result.error_code }).toMatchObject({
    violations: [],
    status,
  });
  expect(result.error_code).not.toBe("INTERNAL");
});

test.each([
  ["not there", { config: { script: "gone.yaml" } }],
  ["broken", { config: { script: "s.yaml" }, files: { "s.yaml": "rules: 3" } }],
])("a script that is %s is found before a session is opened, and the intake log verifies", async (_, options) => {
  await using workspace = await testWorkspace(options);
  const result = await workspace.ask("greet Ada");
  expect(result).toMatchObject({ session_id: null, response: null });
  expect(["failure", "rejected"]).toContain(result.status);
  expect(result.ledger_entry_ids).toHaveLength(1);
});
