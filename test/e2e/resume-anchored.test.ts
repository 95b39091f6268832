// A session that waits to be taken up is what it was when it was left, or it is not taken up.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isJsonObject, type SessionId } from "#core/values";
import { forge, putForged } from "../support/forged-session.ts";
import { cli } from "../support/fresh-cli.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

test("a stopped session whose history was written anew is refused by resume; as it was, it goes on", async () => {
  await using workspace = await testWorkspace({
    rules: [
      { when: { call: 1 }, respond: { tool_calls: [{ name: "echo", args: { text: "hello" } }] } },
      { respond: { text: "said" } },
    ],
  });
  const stopped = await workspace.order(
    { tool_permissions: ["echo"], budget: { token_limit: 20_000, turn_limit: 3, timeout_seconds: 60 } },
    {
      onEvent: ({ type, session_id }) => {
        if (type === "tool.invoke") void workspace.runtime.halt(session_id as SessionId, "a look first");
      },
    },
  );
  expect(stopped).toMatchObject({ status: "canceled", error_code: "HALTED" });
  await workspace.runtime.liftHalt();
  await workspace.runtime.close();
  const session_id = stopped.session_id ?? "";
  const file = (_: string, name: string) => join(workspace.root, "planes/ho1/sessions", session_id, name);
  const before = readFileSync(file(session_id, ".events.jsonl"), "utf8");
  const lines = before.trimEnd().split("\n");
  // The order that it goes on with is another one now: every hash and both ledgers match.
  const forged = forge(lines, ({ type, payload }) =>
    type === "wo.started" && isJsonObject(payload)
      ? (JSON.parse(JSON.stringify(payload).replaceAll("Say hello to Ada", "Send it to Eve")) as typeof payload)
      : payload,
  );
  expect(forged.events).toContain("Send it to Eve");
  putForged({ file }, session_id, forged);
  const refused = await cli(workspace.root, "session", "resume", session_id);
  expect(refused.status).toBe(1);
  expect(refused.errors).toContain("is not the one that was anchored");
  expect(readFileSync(file(session_id, ".events.jsonl"), "utf8")).toBe(forged.events); // nothing was added to it
  putForged(
    { file },
    session_id,
    forge(lines, ({ payload }) => payload),
  );
  expect(readFileSync(file(session_id, ".events.jsonl"), "utf8")).toBe(before);
  const resumed = await cli(workspace.root, "session", "resume", session_id, "--json");
  expect(JSON.parse(resumed.text)).toMatchObject({ status: "success", response: "said" });
});
