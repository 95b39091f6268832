// What becomes of the model door where something behind it fails: nothing is asked that cannot be recorded, and nothing goes on unseen.

import { expect, test } from "vitest";
import { ask, open } from "../support/model-door.ts";
import { messagesStream, streams } from "../support/model-server.ts";
import { unwritableLog } from "../support/unwritable-log.ts";

const call = { id: "t1", name: "read_file", args: { path: "a.txt" } };
const whole = messagesStream({ text: "I look.", calls: [call] });

test.each([
  ["llm.request", 503, 0],
  ["foreign.permit", 200, 1],
  ["llm.response", 200, 1],
])("where %s cannot be written the program gets no answer that counts", async (type, status, asks) => {
  await using door = await open("anthropic", { rewire: unwritableLog(type) });
  door.model.will(streams(whole));
  const answered = await ask(door);
  expect(answered.status).toBe(status);
  const text = await answered.text();
  expect(door.model.seen).toHaveLength(asks);
  if (type !== "llm.response") expect(text).not.toContain("read_file");
  expect(text).not.toContain("message_stop");
  expect(text).toContain("LEDGER_UNAVAILABLE");
  // The order has ended: what cannot be recorded is not asked again.
  expect((await ask(door)).status).toBe(503);
  expect(door.model.seen).toHaveLength(asks);
});
