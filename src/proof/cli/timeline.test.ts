import { expect, test } from "vitest";
import { type Event } from "#log";
import { eventKinds } from "../../main/tables/events.ts";
import { Timeline } from "./timeline.ts";

function rowsOf(...events: readonly (readonly [type: string, payload: object])[]) {
  const timeline = new Timeline(eventKinds, { keepsEvents: false });
  for (const [at, [type, payload]] of events.entries()) {
    const event = { id: String(at), seq: at + 1, ts: "2026-11-16T00:00:00.000Z", type, payload, parent_id: null };
    timeline.add({ ...event, actor: "worker" } as unknown as Event);
  }
  return timeline.rows.map(({ text, outcome }) => [text, outcome]);
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
