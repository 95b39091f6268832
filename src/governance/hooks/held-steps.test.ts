import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { type JsonObject, ok, systemClock } from "#core/values";
import type { Event, Recorder } from "#log";
import type { Ask } from "#people";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { createHooks, type FireContext } from "./create-hooks.ts";
import { type FunctionHook, functionHook } from "./function-hook.ts";
import type { HookPoint } from "./hook-point.ts";

function setUp(...hooks: Pick<FunctionHook, "point" | "decide">[]) {
  const handlers = hooks.map((hook, index) => functionHook({ id: `h${index + 1}`, ...hook }));
  const asked = createHooks({ handlers, schemas: shippedRegistry(), clock: systemClock, key: "k" });
  return (point: HookPoint, context: FireContext, payload: JsonObject = { goal: "as it came" }) =>
    asked.fire(point, { subject: "tidy", payload }, context);
}

const changes = (output: JsonObject) => ({
  point: "WorkflowStart" as const,
  decide: () => ({ decision: "transform", output, reason: "narrower" }),
});
const asks = { point: "WorkflowStart" as const, decide: () => ({ decision: "ask", reason: "may it begin?" }) };

describe("a step that a hook holds for a person", () => {
  const person = (allowed: boolean) => {
    const seen: unknown[] = [];
    const decided = { approval_id: "APR-1", by: "ada", reason: "I looked" };
    const ask: Ask = async (_kind, question) => {
      seen.push(question);
      return ok(
        allowed ? { state: "approved", ...decided, result: null } : { state: "denied", ...decided, expired: false },
      );
    };
    return { seen, ask };
  };

  test("is shown to them as it would be taken, and taken like that when they allow it", async () => {
    const { seen, ask } = person(true);
    const fire = setUp(changes({ goal: "changed" }), asks);
    expect(await fire("WorkflowStart", { recorder: memoryRecorder(), ask })).toMatchObject({
      value: { decision: "transform", output: { goal: "changed" }, reason: "ada allowed it: I looked" },
    });
    expect(seen).toMatchObject([{ payload: { goal: "changed" }, reason: "may it begin?", subject: "tidy" }]);
  });

  test("is not taken when they deny it", async () => {
    const { ask } = person(false);
    for (const fire of [setUp(asks), setUp(changes({ goal: "changed" }), asks)])
      expect(await fire("WorkflowStart", { recorder: memoryRecorder(), ask })).toMatchObject({
        value: { decision: "deny", reason: "ada denied it: I looked" },
      });
  });

  test("waits while they have not spoken", async () => {
    const ask: Ask = async () => ok({ state: "waiting", approval_id: "APR-1", expires_at: "2026-11-16" });
    expect(await setUp(asks)("WorkflowStart", { recorder: memoryRecorder(), ask })).toMatchObject({
      ok: false,
      error: { code: "APPROVAL_PENDING" },
    });
  });

  test.each<HookPoint>(["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "WorkflowComplete"])(
    "cannot be held at %s: there the question is a denial, and nobody is asked",
    async (point) => {
      const { seen, ask } = person(true);
      const fire = setUp({ ...asks, point });
      expect(await fire(point, { recorder: memoryRecorder(), ask, canAsk: true })).toMatchObject({
        value: { decision: "deny" },
      });
      expect(seen).toEqual([]);
    },
  );
});

describe("in a session that is taken up again", () => {
  /** The log of a session that has this firing in its past. */
  const after = (fired: Event<"hook.fired"> | undefined): Recorder => ({
    ...memoryRecorder(),
    past: {
      of: "own",
      takeRequest: () => undefined,
      takeCall: () => undefined,
      knowsCall: () => false,
      takeContext: () => undefined,
      takeSettled: () => undefined,
      takeFiring: () => fired,
    },
  });
  const firstTime = async (...hooks: Parameters<typeof setUp>) => {
    const recorder = memoryRecorder();
    await setUp(...hooks)("WorkflowStart", { recorder });
    return after(recorder.events.find((event) => event.type === "hook.fired"));
  };

  test("what a gate decided stands, and nobody is asked again", async () => {
    const recorder = await firstTime({
      point: "WorkflowStart",
      decide: () => ({ decision: "deny", reason: "closed" }),
    });
    const fire = setUp({ point: "WorkflowStart", decide: () => ({ decision: "allow" }) });
    expect(await fire("WorkflowStart", { recorder })).toMatchObject({ value: { decision: "deny", reason: "closed" } });
  });

  test("a gate that changed its input makes the same of it again, or the session does not go on", async () => {
    const same = await firstTime(changes({ goal: "changed" }));
    expect(await setUp(changes({ goal: "changed" }))("WorkflowStart", { recorder: same })).toMatchObject({
      value: { decision: "transform", output: { goal: "changed" } },
    });
    const others = [
      changes({ goal: "something else" }),
      { point: "WorkflowStart" as const, decide: () => ({ decision: "allow" }) },
      { point: "WorkflowStart" as const, decide: () => ({ decision: "deny", reason: "closed" }) },
    ];
    for (const other of others)
      expect(await setUp(other)("WorkflowStart", { recorder: same })).toMatchObject({
        ok: false,
        error: { code: "REPLAY_DIVERGED" },
      });
    expect(await setUp(changes({ goal: "changed" }), asks)("WorkflowStart", { recorder: same, canAsk: true })) //
      .toMatchObject({ ok: false, error: { code: "REPLAY_DIVERGED" } });
  });
});
