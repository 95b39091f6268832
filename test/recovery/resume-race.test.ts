// Two who take up one session at the same moment: reading its record takes no lock, so the one may act while the other reads.

import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Result, SessionId } from "#core/values";
import type { FlowResult } from "#work";
import { testWorkspace } from "../support/runtime-workspace.ts";

const call = (text: string) => ({ tool_calls: [{ name: "echo", args: { text } }] });
const rules = [
  { when: { role: "worker", call: 1 }, respond: call("first") },
  { when: { role: "worker", call: 2 }, respond: call("second") },
];
const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "sh hooks/ask.sh" }] }] };
const files = { "hooks/ask.sh": `#!/bin/sh\necho '{"decision":"ask","reason":"a person decides"}'\n` };

test("what another process did between reading and opening is not done again", async () => {
  await using workspace = await testWorkspace({ rules, config: { hooks }, files });
  await chmod(join(workspace.root, "hooks/ask.sh"), 0o755);
  const { runtime } = workspace;
  const waiting = await workspace.ask("greet Ada");
  expect(waiting.status).toBe("waiting");
  const session_id = waiting.session_id as SessionId;
  const by = runtime.localCaller();
  const asked = await runtime.inbox.list({ state: "open", limit: 1 });
  const question = asked.ok ? asked.value[0] : undefined;
  if (!by.ok || !question) throw new Error("nobody is asked");
  const { approval_id, subject_hash } = question;
  await runtime.decisions.decide(by.value, approval_id, { choice: "approve", subject_hash, reason: "" });

  // The slower of the two has read the record when the quicker one makes the first call and stops at the second.
  const { log } = runtime;
  const open = log.open.bind(log);
  let quicker: Result<FlowResult> | undefined;
  log.open = async (id) => {
    log.open = open;
    quicker = await runtime.resumeSession(session_id);
    return open(id);
  };
  const slower = await runtime.resumeSession(session_id);

  expect(quicker).toMatchObject({ ok: true, value: { status: "waiting" } });
  const events = await workspace.events(session_id);
  const calls = events.filter((event) => event.type === "tool.invoke");
  expect(calls.map(({ payload }) => payload.args)).toEqual([{ text: "first" }]);
  expect(slower).toMatchObject({ ok: false, error: { code: "SESSION_BUSY", retryable: true } });
  // It was let go of: whoever comes next finds it as the quicker one left it.
  expect(await runtime.resumeSession(session_id)).toMatchObject({ ok: true, value: { status: "waiting" } });
});
