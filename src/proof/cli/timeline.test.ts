import { expect, test } from "vitest";
import { type Event } from "#log";
import { eventKinds } from "../../main/tables/events.ts";
import { reach, Spans, Timeline } from "./timeline.ts";

function rowsOf(...events: readonly (readonly [type: string, payload: object])[]) {
  const timeline = new Timeline(eventKinds, { keepsEvents: false });
  for (const [at, [type, payload]] of events.entries()) {
    const event = { id: String(at), seq: at + 1, ts: "2026-11-16T00:00:00.000Z", type, payload, parent_id: null };
    timeline.add({ ...event, actor: "worker" } as unknown as Event);
  }
  return [...timeline.settled(true)].map(({ text, outcome }) => [text, outcome]);
}

test("a call begins with its path and ends with what it gave in words, as in the story of the request", () => {
  const args = { content: "long ".repeat(9), path: "notes/a.md" };
  const rows = rowsOf(
    ["tool.invoke", { call_id: "1", name: "fs.write", args }],
    ["tool.result", { call_id: "1", name: "fs.write", status: "ok", duration_ms: 1 }],
    [
      "tool.output",
      { call_id: "1", name: "fs.write", shown: true, content: { path: "notes/a.md", created: true, bytes: 45 } },
    ],
    ["tool.invoke", { call_id: "2", name: "weather.forecast", args: { town: "Oslo" } }],
    ["tool.output", { call_id: "2", shown: true, content: { content: [{ type: "text", text: "Oslo: sun" }] } }],
  );
  expect(rows).toEqual([
    [expect.stringMatching(/^fs\.write \{"path":"notes\/a\.md","content":"long /), "made notes/a.md"],
    ['weather.forecast {"town":"Oslo"}', "Oslo: sun"],
  ]);
});

test("every end of a turn is told in words", () => {
  const turn = { turn_id: "TRN-1", turn_number: 1 };
  const rows = rowsOf(
    ["turn.failed", { ...turn, code: "WRITE_CONFLICT", message: "it exists already" }],
    ["turn.aborted", { ...turn, reason: "the process ended" }],
    ["turn.quarantined", { ...turn, action: "kept", outputs: [] }],
    ["turn.quarantined", { ...turn, action: "released", outputs: [], by: "ada@local" }],
    ["turn.quarantined", { ...turn, action: "dropped", outputs: [], by: "ada@local" }],
  );
  expect(rows).toEqual([
    ["turn failed: nothing that it wrote landed", "WRITE_CONFLICT: it exists already"],
    ["turn broken off", "the process ended"],
    ["turn in quarantine: what it wrote waits for a person", undefined],
    ["turn released from quarantine: what it wrote is in the workspace", "by ada@local"],
    ["turn dropped: what it wrote is gone", "by ada@local"],
  ]);
});

function modelEvent(seq: number, type: "llm.request" | "llm.response", request_id: string): Event {
  const usage = { input_tokens: 1, output_tokens: 2, cost_usd: 0 };
  const said = type === "llm.request" ? { model: "m", role: "worker" } : { usage, duration_ms: 5, stop_reason: "stop" };
  const common = { id: `EVT-${seq}`, ts: "2026-11-16T00:00:00.000Z", parent_id: null, actor: "worker" };
  return { ...common, seq, type, payload: { request_id, ...said } } as unknown as Event;
}

test("a row is handed out once it is whole, and memory of it is kept as far as events reach", () => {
  const events = [
    modelEvent(1, "llm.request", "far"),
    modelEvent(2, "llm.request", "near"),
    modelEvent(3, "llm.response", "near"),
    modelEvent(2 + reach, "llm.response", "far"), // one too far from its request
  ];
  const survey = new Timeline(eventKinds, { keepsEvents: false });
  const spans = new Spans();
  const early: number[] = [];
  for (const event of events) {
    survey.add(event);
    for (const row of survey.settled()) {
      early.push(row.seq);
      spans.push((row.seqs.at(-1) ?? 0) - row.seq);
    }
  }
  for (const row of survey.settled(true)) spans.push((row.seqs.at(-1) ?? 0) - row.seq);
  expect(early).toEqual([1, 2]);
  const again = new Timeline(eventKinds, { keepsEvents: true, spans });
  const rows = events.map((event) => {
    again.add(event);
    return [...again.settled()].map(({ seqs, tokens, events: kept }) => [seqs, tokens, kept.length]);
  });
  expect(rows.slice(0, 3)).toEqual([[[[1], undefined, 1]], [], [[[2, 3], 3, 2]]]);
  expect(rows[3]).toEqual([[[2 + reach], 3, 1]]);
  expect([...again.settled(true)]).toEqual([]);
});
