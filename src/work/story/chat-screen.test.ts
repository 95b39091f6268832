import { expect, test } from "vitest";
import { screenOf } from "#core/terminal";
import type { FlowResult } from "../flow/execution-context.ts";
import { chatScreen } from "./chat-screen.ts";

function chat() {
  let written = "";
  const write = (text: string) => void (written += text);
  const screen = chatScreen(write, screenOf({ write, isTTY: false, columns: 0 }, {}));
  return { screen, lines: () => written.split("\n") };
}

const ended = (response: string, more: Partial<FlowResult> = {}) =>
  ({ status: "success", response, error: null, error_code: null, duration_ms: 1, ...more }) as FlowResult;
const seq = { session_id: "SES-1", seq: 1 };
const words = (text: string) => text.split(/(?<= )/);

test("an answer that comes in pieces is shown once, whatever was said before its calls", () => {
  const { screen, lines } = chat();
  for (const text of words("I look first.")) screen.part({ type: "text", role: "solo", text });
  screen.part({ type: "text", ...seq, role: "solo", text: "I look first.", whole: true });
  screen.part({ type: "call", ...seq, call_id: "c1", name: "fs.list", args: {} });
  screen.part({ type: "result", ...seq, call_id: "c1", name: "fs.list", status: "ok" });
  for (const text of words("There is a note.")) screen.part({ type: "text", role: "solo", text });
  screen.part({ type: "text", ...seq, role: "solo", text: "There is a note.", whole: true });
  screen.end(ended("There is a note."));
  expect(lines().filter((line) => line.includes("There is a note."))).toHaveLength(1);
  expect(lines().filter((line) => line.includes("I look first."))).toHaveLength(1);
});

test("an answer that comes in no piece is shown when it is recorded, and one that no role said at the end", () => {
  const { screen, lines } = chat();
  screen.part({ type: "text", ...seq, role: "solo", text: "A note.", whole: true });
  screen.end(ended("A note."));
  screen.part({ type: "text", role: "worker", text: "half of it" });
  screen.end(ended("What the roles agreed on."));
  expect(lines().filter((line) => line === "A note.")).toHaveLength(1);
  expect(lines()).toContain("What the roles agreed on.");
});

test("a message that waits for a person says how it goes on", () => {
  const { screen, lines } = chat();
  const waiting = { status: "waiting", error: "a person has to decide first", error_code: "APPROVAL_PENDING" } as const;
  screen.end(ended("", { ...waiting, response: null }));
  expect(lines().join("\n")).toMatch(/a person has to decide first[\s\S]*writ inbox[\s\S]*your next message/);
});
