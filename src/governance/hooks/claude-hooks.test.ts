import { expect, test } from "vitest";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { claudeHooks } from "./claude-hooks.ts";

const read = (text: string) => claudeHooks("/w", memoryFiles({ "/w/.claude/settings.json": text }));
const hook = { type: "command", command: "check.sh", timeout: 5 };

test("the hooks of a settings file are taken, without what only their own program knows", async () => {
  const settings = {
    model: "opus",
    hooks: {
      PreToolUse: [{ matcher: "Write|Edit", hooks: [{ ...hook, statusMessage: "checking" }] }],
      Notification: [{ hooks: [hook] }],
    },
  };
  expect(await read(JSON.stringify(settings))).toEqual({
    ok: true,
    value: { PreToolUse: [{ matcher: "Write|Edit", hooks: [hook] }] },
  });
});

test.for(["{", "[]", '{"hooks": []}'])("%j is an error, not an open gate", async (text) => {
  expect(await read(text)).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
});

test("a settings file that is asked for and absent is an error", async () => {
  expect(await claudeHooks("/w", memoryFiles({}))).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
});

test("a hook of a kind that Writ does not run stays, so that the contract refuses it", async () => {
  const settings = { hooks: { PreToolUse: [{ hooks: [{ type: "prompt", prompt: "is it fine?" }] }] } };
  expect(await read(JSON.stringify(settings))).toMatchObject({
    value: { PreToolUse: [{ hooks: [{ type: "prompt" }] }] },
  });
});
