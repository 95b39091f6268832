import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { defineProvider, isSessionId } from "writ";
import { openAgent, order } from "./agent.js";

/** A model that does what the test wants of it: it asks for one town, then says what it read. */
const asksFor = (town: string) =>
  defineProvider({
    id: "test",
    async complete({ messages }) {
      const last = messages.at(-1);
      if (last?.role === "tool") return { text: `I read: ${last.content}` };
      return { tool_calls: [{ id: "call", name: "weather.forecast", args: { town } }] };
    },
  });

async function ask(town: string) {
  const root = mkdtempSync(join(tmpdir(), "agent-"));
  const writ = await openAgent(root, { config: {}, providers: [asksFor(town)] });
  try {
    const { response, session_id } = await writ.thread({ order }).send(`weather in ${town}?`).result;
    assert.ok(isSessionId(session_id ?? ""));
    const proof = await writ.verifySession(session_id as never);
    return { response, proved: proof.ok };
  } finally {
    await writ.close();
    rmSync(root, { recursive: true, force: true });
  }
}

test("the agent answers with its tool, and the record proves it", async () => {
  const { response, proved } = await ask("Oslo");
  assert.match(response ?? "", /sun over Oslo/);
  assert.ok(proved);
});

test("the hook keeps the agent from where it must not look", async () => {
  const { response, proved } = await ask("Thule");
  assert.match(response ?? "", /not on our map/);
  assert.ok(proved);
});
