import { expect, test } from "vitest";
import { summarize } from "./summarize.ts";

test.each([
  [
    { agent_id: "AGT-1", reason: "no hook is asked", decision: "allow", point: "Stop", input_hash: "ab" },
    'point=Stop decision=allow reason="no hook is asked"',
  ],
  [{ bytes: 20, call_id: "w-1", attempt: 1, status: "ok" }, "status=ok bytes=20 attempt=1"],
  [{ args_hash: "ff", args: { text: "Hello, Ada" }, name: "echo" }, 'name=echo args={"text":"Hello, Ada"}'],
  [{ new_messages: [], context_hash: "ff", text: "", turns: 0, ok: false }, "turns=0 ok=false"],
  [{ session_id: "SES-1" }, '{"session_id":"SES-1"}'],
  ["a word", '"a word"'],
])("%j in a line", (payload, line) => {
  expect(summarize(payload)).toBe(line);
});
