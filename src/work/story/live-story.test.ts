import { expect, test } from "vitest";
import { screenOf } from "#core/terminal";
import { type Event } from "#log";
import { manualClock } from "../../core/values/manual-clock.ts";
import { eventKinds } from "../../main/tables/events.ts";
import { liveStory } from "./live-story.ts";

/** What a person sees: a carriage return and an erased line begin the last line anew. */
function shown(written: string): readonly string[] {
  const lines = written.split("\n").map((line) => line.split("\r\u001b[2K").at(-1) ?? "");
  return lines.map((line) => line.replaceAll(/\u001b\[[0-9;]*m/g, "").trimEnd());
}

function terminal() {
  let written = "";
  const output = { write: (text: string) => void (written += text), isTTY: true, columns: 100 };
  const clock = manualClock();
  const story = liveStory(output, screenOf(output, { LANG: "en_US.UTF-8", TERM: "xterm" }), clock, eventKinds);
  const tell = (type: string, payload: object) => story.onEvent({ type, payload } as unknown as Event);
  return { story, tell, clock, lines: () => shown(written) };
}

const usage = { input_tokens: 30, output_tokens: 10 };

test("the role at work has a line with its time and its words, which gives way to what it said", () => {
  const { story, tell, clock, lines } = terminal();
  tell("agent.transition", { from: "INTAKE", to: "LEAD" });
  tell("llm.request", { role: "lead" });
  story.onText("lead", "greet \u001b[2JAda");
  clock.advance(100);
  expect(lines()).toEqual([expect.stringMatching(/^ {2}lead {7}\S 0\.1 s {2}greet Ada$/)]);
  tell("llm.response", { role: "lead", status: "ok", text: "{}", usage, duration_ms: 100, tool_calls: [] });
  tell("lead.directive", { directive: { intent: "greet Ada", constraints: [] } });
  expect(lines()[0]).toMatch(/^ {2}lead {7}greet Ada .*40 tok$/);
  clock.advance(1_000);
  expect(lines().at(-1)).toBe(""); // no role is at work, so nothing is drawn
});

test("the budget burns down at the right while a role is at work", () => {
  const { tell, clock, lines } = terminal();
  tell("wo.started", { budget_scope: { token_limit: 5_000, usd_limit: 0.5 } });
  tell("llm.request", { role: "lead" });
  tell("llm.response", { role: "lead", status: "ok", text: "{}", usage: { ...usage, cost_usd: 0.02 }, duration_ms: 1 });
  tell("llm.request", { role: "planner" });
  clock.advance(100);
  expect(lines().at(-1)).toMatch(/^ {2}planner {4}\S 0\.1 s .* 40 of 5,000 tok · \$0\.02 of \$0\.50$/);
  expect(lines().at(-1)?.length).toBeLessThanOrEqual(100);
});

test("a call that takes long tells how far it has come, and its server's words are no orders to the terminal", () => {
  const { story, tell, clock, lines } = terminal();
  tell("tool.invoke", { call_id: "c1", name: "kb.lookup", args: {} });
  expect(lines()).toHaveLength(2);
  story.onProgress("c1", { progress: 1, total: 4, message: "half\u001b[2K\rway" });
  story.onProgress("another", { progress: 9, message: "not ours" });
  clock.advance(1_000);
  expect(lines().at(-1)).toMatch(/^ +\S 1\.0 s {2}half way 1 of 4$/);
  tell("tool.output", { call_id: "c1", content: { text: "found" }, is_error: false, shown: true });
  expect(lines().slice(1)).toEqual([expect.stringContaining("→ found"), ""]);
  story.end();
  clock.advance(1_000);
  expect(lines()).toHaveLength(3);
});
