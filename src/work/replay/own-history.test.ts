import { describe, expect, test } from "vitest";
import { type Event, type EventInput, type EventType, type SessionLog } from "#log";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { eventKinds } from "../../main/tables/events.ts";
import { layeredSession } from "../flow/layered-session.ts";
import { OwnHistory } from "./own-history.ts";
import { replayOwnRecord } from "./replaying-session.ts";

let seq = 0;
function event<T extends EventType>(type: T, payload: object): Event<T> {
  seq += 1;
  return { id: `e${seq}`, seq, type, actor: "test", payload } as unknown as Event<T>;
}
const step = (step_id: string, agent_id = "old") =>
  event("worker.step", { agent_id, step_id, status: "completed", tool_calls_made: [] });

describe("a session that goes on", () => {
  test("gives back what is recorded, whatever the order, and writes what is news", () => {
    const recorder = memoryRecorder();
    const past = new OwnHistory([step("s1"), step("s2")], eventKinds);
    const session = layeredSession(recorder as unknown as SessionLog, [replayOwnRecord(past)]);
    const say = (step_id: string) =>
      session.stage({ ...step(step_id, "new"), type: "worker.step" } as EventInput<"worker.step">);
    expect(say("s2")).toMatchObject({ ok: true, value: { payload: { agent_id: "old", step_id: "s2" } } });
    expect(say("s1")).toMatchObject({ ok: true, value: { payload: { agent_id: "old" } } });
    expect(recorder.events).toHaveLength(0);
    expect(say("s2")).toMatchObject({ ok: true, value: { payload: { agent_id: "new" } } }); // a second round of work
    expect(recorder.events).toHaveLength(1);
  });

  test("a request is answered once, by role and conversation, with the answer that names it", () => {
    const request = (request_id: string) =>
      event("llm.request", { request_id, role: "worker", conversation_hash: "c", reserved: { reservation_id: "r" } });
    const past = new OwnHistory(
      [request("q1"), request("q2"), event("llm.response", { request_id: "q2", role: "worker", status: "ok" })],
      eventKinds,
    );
    expect(past.takeRequest("lead", "c")).toBeUndefined();
    expect(past.untaken()).toHaveLength(2);
    expect(past.takeRequest("worker", "c")).toMatchObject({ request: { payload: { request_id: "q1" } } });
    expect(past.takeRequest("worker", "c")?.response?.payload.request_id).toBe("q2");
    expect(past.takeRequest("worker", "c")).toBeUndefined();
    expect(past.untaken()).toEqual([]);
  });

  test("a call is its last attempt with its end, and what a person said of it", () => {
    const past = new OwnHistory(
      [
        event("tool.invoke", { call_id: "c1", name: "book", attempt: 1 }),
        event("tool.result", { call_id: "c1", attempt: 1, status: "canceled" }),
        event("tool.invoke", { call_id: "c1", name: "book", attempt: 2 }),
        event("effect.resolved", { call_id: "c1", outcome: "done", by: "ada", result: { booked: true } }),
      ],
      eventKinds,
    );
    const call = past.takeCall("c1");
    expect(call).toMatchObject({ invoke: { attempt: 2 }, resolution: { outcome: "done", result: { booked: true } } });
    expect(call?.result).toBeUndefined();
    expect(past.takeCall("c1")).toBeUndefined();
  });

  test("a gate's decision is found by what it was asked, not by the order in which it was", () => {
    const fired = (input_hash: string, decision: string) =>
      event("hook.fired", { point: "PreToolUse", subject: "book", input_hash, decision });
    const past = new OwnHistory([fired("h1", "allow"), fired("h2", "deny")], eventKinds);
    const ask = (input_hash: string) => past.takeFiring({ point: "PreToolUse", subject: "book", input_hash });
    expect(ask("h2")?.payload.decision).toBe("deny");
    expect(ask("h3")).toBeUndefined();
    expect(ask("h1")?.payload.decision).toBe("allow");
  });
});
