import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err } from "#core/values";
import type { EventInput, Recorder } from "#log";
import { agentHarness } from "../../../test/support/agents.ts";
import { script } from "../../../test/support/model.ts";
import { functionHook } from "../../governance/hooks/function-hook.ts";
import { planWorkReview } from "./plan-work-review.ts";

const plan = (steps: object[], extra: object = {}) => ({
  when: { role: "planner" },
  respond: { json: { steps, risks: [], needs_advisor: false, schema_version: "v1", ...extra } },
});
const report = (output: string, steps: string[]) => ({
  json: { output, steps_completed: steps, schema_version: "v1" },
});
const verdict = (verdict: string, feedback: string) => ({ json: { verdict, feedback, schema_version: "v1" } });
const greeting = [
  { when: { role: "worker", call: 1 }, respond: { tool_calls: [{ name: "echo", args: { text: "Hello, Ada" } }] } },
  { when: { role: "worker", call: 2 }, respond: report("Hello, Ada", ["s1"]) },
];

describe("plan-work-review", () => {
  test("goes from lead to planner to worker to reviewer, each transition an event", async () => {
    const harness = await agentHarness(script(greeting));
    expect(await planWorkReview(harness.context)).toMatchObject({
      ok: true,
      value: { output: "Hello, Ada", verdict: "pass", reworkCount: 0 },
    });
    expect(harness.recorder.of("agent.transition").map(({ from, to }) => `${from}>${to}`)).toEqual([
      "INTAKE>LEAD",
      "LEAD>PLAN",
      "PLAN>WORK",
      "WORK>REVIEW",
      "REVIEW>DONE",
    ]);
    expect(harness.recorder.of("worker.report")).toMatchObject([
      { output: "Hello, Ada", tool_calls_made: ["echo:worker-1-1"] },
    ]);
  });

  test.each([
    ["no skill", null, "what is the time?"],
    ["an unknown skill", "zebra", "do something odd"],
    ["an empty prompt", "greet", ""],
  ])("completes without a single rule: %s", async (_, skill, prompt) => {
    const harness = await agentHarness(script([]), { skill, prompt });
    const done = await planWorkReview(harness.context);
    expect(done).toMatchObject({ ok: true, value: { verdict: "pass" } });
    expect(done.ok && done.value.output).not.toBe("");
  });

  test("runs independent steps at once and dependent ones after what they need", async () => {
    const running: string[] = [];
    let most = 0;
    const harness = await agentHarness(
      {
        id: "fake",
        complete: async (call) => {
          const handoff =
            call.meta.role === "worker"
              ? (JSON.parse(String(call.request.messages.at(-1)?.content)) as { step: { id: string }; results: object })
              : undefined;
          if (handoff) {
            running.push(handoff.step.id);
            most = Math.max(most, running.length);
            await new Promise<void>((resolve) => setImmediate(resolve));
            running.splice(running.indexOf(handoff.step.id), 1);
          }
          const provider = script([
            plan([
              { id: "a", description: "a" },
              { id: "b", description: "b" },
              { id: "c", description: "c", depends_on: ["a", "b"] },
            ]),
            ...(handoff
              ? [
                  {
                    when: { role: "worker" },
                    respond: report(`${handoff.step.id}(${Object.values(handoff.results).join("+")})`, [
                      handoff.step.id,
                    ]),
                  },
                ]
              : []),
          ]);
          return provider.complete(call);
        },
      },
      { prompt: "x" },
    );
    expect(await planWorkReview({ ...harness.context, tools: [] })).toMatchObject({
      ok: true,
      value: { output: "c(a()+b())" },
    });
    expect(most).toBe(2);
  });

  test.each([
    [
      "a cycle",
      [
        { id: "a", description: "a", depends_on: ["b"] },
        { id: "b", description: "b", depends_on: ["a"] },
      ],
      "wait for each other",
    ],
    ["an unknown dependency", [{ id: "a", description: "a", depends_on: ["z"] }], "not in the plan"],
    [
      "two steps of one name",
      [
        { id: "a", description: "a" },
        { id: "a", description: "b" },
      ],
      "same id",
    ],
    ["too many steps", Array.from({ length: 11 }, (_, index) => ({ id: `s${index}`, description: "x" })), "at most 10"],
  ])("refuses a plan with %s", async (_, steps, words) => {
    const harness = await agentHarness(script([plan(steps)]));
    const done = await planWorkReview(harness.context);
    expect(done).toMatchObject({ ok: false, error: { code: "MALFORMED_AGENT_MESSAGE" } });
    expect(!done.ok && done.error.message).toContain(words);
  });

  test("a failed step stops what comes after it and reports partial progress", async () => {
    const harness = await agentHarness(
      script([
        plan([
          { id: "a", description: "a" },
          { id: "b", description: "b", depends_on: ["a"] },
          { id: "c", description: "c", depends_on: ["b"] },
        ]),
        { when: { role: "worker", call: 1 }, respond: report("a is done", ["a"]) },
        { when: { role: "worker", call: 2 }, respond: report("could not find the file", []) },
      ]),
    );
    expect(await planWorkReview(harness.context)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("step b was not done") },
    });
    expect(harness.recorder.of("worker.report")).toMatchObject([{ partial: true, steps_completed: ["a"] }]);
    expect(harness.recorder.of("review.result")).toEqual([]);
  });

  test("the model gets the refusal of a tool; a step that fails for it names the refusal", async () => {
    const harness = await agentHarness(
      script([
        { when: { role: "worker", call: 1 }, respond: { tool_calls: [{ name: "rm", args: {} }] } },
        { when: { role: "worker", call: 2 }, respond: report("no", []) },
      ]),
    );
    expect(await planWorkReview(harness.context)).toMatchObject({ ok: false, error: { code: "TOOL_NOT_ALLOWED" } });
    const answers = harness.recorder
      .of("llm.request")
      .flatMap((request) => request.new_messages)
      .filter((message) => message.role === "tool");
    expect(answers[0]?.content).toContain("TOOL_NOT_ALLOWED");
  });

  test("a worker that never stops calling tools is stopped", async () => {
    const harness = await agentHarness(
      script([{ when: { role: "worker" }, respond: { tool_calls: [{ name: "echo", args: { text: "again" } }] } }]),
    );
    expect(await planWorkReview(harness.context)).toMatchObject({ ok: false, error: { code: "GATE_DENIED" } });
    expect(harness.dispatched).toHaveLength(4);
  });

  test("a malformed message gets one chance to be mended, and both attempts are in the log", async () => {
    const harness = await agentHarness(
      script([
        { when: { role: "lead", call: 1 }, respond: { raw: "Sure! Here is the JSON you asked for." } },
        ...greeting,
      ]),
    );
    expect((await planWorkReview(harness.context)).ok).toBe(true);
    expect(harness.recorder.of("schema.violation")).toMatchObject([{ schema_id: "lead_directive_v1" }]);
  });

  test.each(["lead", "planner", "worker", "reviewer"])(
    "a %s that stays malformed ends the request with MALFORMED_AGENT_MESSAGE",
    async (role) => {
      const harness = await agentHarness(
        script([{ when: { role }, respond: { raw: '{"verdict":"maybe","verdict":"pass"}' } }]),
      );
      expect(await planWorkReview({ ...harness.context, tools: [] })).toMatchObject({
        ok: false,
        error: { code: "MALFORMED_AGENT_MESSAGE", details: { role } },
      });
      expect(harness.recorder.of("schema.violation")).toHaveLength(2);
    },
  );

  test("a failed review sends the work back with its feedback, within the bounds, then to a person", async () => {
    const harness = await agentHarness(
      script([{ when: { role: "reviewer" }, respond: verdict("fail", "say it louder") }]),
    );
    expect(await planWorkReview(harness.context)).toMatchObject({
      ok: true,
      value: { verdict: "fail", reworkCount: 2, feedback: "say it louder" },
    });
    const handoffs = harness.recorder
      .of("llm.request")
      .filter((request) => request.role === "worker")
      .flatMap((request) => request.new_messages.filter((message) => message.role === "user"));
    expect(handoffs.filter((message) => String(message.content).includes("say it louder"))).toHaveLength(2);
    expect(harness.recorder.of("review.escalated")).toMatchObject([{ rework_count: 2 }]);
    expect(harness.recorder.of("agent.transition").map(({ to }) => to)).toContain("REWORK");
  });

  test("a review that passes after rework is a pass", async () => {
    const harness = await agentHarness(
      script([
        { when: { role: "reviewer", call: 1 }, respond: verdict("fail", "once more") },
        { when: { role: "reviewer", call: 2 }, respond: verdict("pass", "good") },
      ]),
    );
    expect(await planWorkReview(harness.context)).toMatchObject({
      ok: true,
      value: { verdict: "pass", reworkCount: 1 },
    });
  });

  test("Stop that denies ends the loop at once; without a handler it ends too", async () => {
    const deny = functionHook({ id: "stop", point: "Stop", decide: () => ({ decision: "deny", reason: "enough" }) });
    for (const hooks of [[deny], []]) {
      const harness = await agentHarness(script([{ when: { role: "reviewer" }, respond: verdict("fail", "no") }]), {
        hooks,
      });
      expect(await planWorkReview(harness.context)).toMatchObject({
        ok: true,
        value: { verdict: "fail", reworkCount: 0 },
      });
    }
  });

  test("asks the advisor when the lead or the planner wants one, and hands the note on", async () => {
    const lead = {
      when: { role: "lead" },
      respond: { json: { intent: "risky", constraints: [], needs_advisor: true, schema_version: "v1" } },
    };
    const harness = await agentHarness(script([lead]));
    expect((await planWorkReview(harness.context)).ok).toBe(true);
    expect(harness.recorder.of("advisor.note")).toHaveLength(1);
    const planned = await agentHarness(
      script([{ ...plan([{ id: "s1", description: "x" }], { needs_advisor: true }) }]),
    );
    expect((await planWorkReview(planned.context)).ok).toBe(true);
    expect(planned.recorder.of("advisor.note")).toHaveLength(1);
    expect(planned.recorder.of("plan.made")).toHaveLength(2);
  });

  test("what the advisor adds to the constraints binds the planner, the worker and the reviewer", async () => {
    const lead = { intent: "risky", constraints: ["be brief"], needs_advisor: true, schema_version: "v1" };
    const note = { advice: "mind the tone", recommendation: "proceed", added_constraints: ["name nobody"] };
    const harness = await agentHarness(
      script([
        { when: { role: "lead" }, respond: { json: lead } },
        { when: { role: "advisor" }, respond: { json: { ...note, schema_version: "v1" } } },
        ...greeting,
      ]),
    );
    expect((await planWorkReview(harness.context)).ok).toBe(true);
    const sentTo = (role: string) =>
      JSON.stringify(harness.recorder.of("llm.request").filter((request) => request.role === role));
    for (const role of ["planner", "worker", "reviewer"])
      expect([role, sentTo(role)]).toEqual([role, expect.stringContaining("name nobody")]);
    for (const role of ["worker", "reviewer"]) expect(sentTo(role)).toContain("be brief");
  });

  test("a step that only prepares goes to the scaffolder", async () => {
    const harness = await agentHarness(
      script([
        plan([
          { id: "s0", description: "lay out", role: "scaffolder" },
          { id: "s1", description: "fill in", depends_on: ["s0"] },
        ]),
      ]),
    );
    expect((await planWorkReview(harness.context)).ok).toBe(true);
    expect(harness.recorder.of("scaffold.report")).toHaveLength(1);
    expect(harness.recorder.of("worker.report")).toMatchObject([{ steps_completed: ["s0", "s1"] }]);
  });

  test("the reviewer is never the author", async () => {
    const harness = await agentHarness(script([]));
    await planWorkReview(harness.context);
    const [reviewed] = harness.recorder.of("review.result");
    expect(reviewed?.agent_id).not.toBe(reviewed?.author_id);
    const sameAgent = { ...harness.context, ids: { ...harness.ids, agentId: () => "AGT-ONE" as never } };
    expect(await planWorkReview(sameAgent)).toMatchObject({ ok: false, error: { code: "NOT_AUTHORIZED" } });
  });

  test("a provider that gives up ends the request with PROVIDER_ERROR", async () => {
    const harness = await agentHarness(
      script([{ when: { role: "planner" }, respond: { error: { status: 500, retryable: false } } }]),
    );
    expect(await planWorkReview(harness.context)).toMatchObject({ ok: false, error: { code: "PROVIDER_ERROR" } });
  });

  test("a log that cannot be written ends the request instead of being ignored", async () => {
    const harness = await agentHarness(script([]));
    const broken = {
      ...harness.recorder,
      append: () => Promise.resolve(err(domainError("LEDGER_UNAVAILABLE", "disk full"))),
    };
    expect(await planWorkReview({ ...harness.context, recorder: broken as never })).toMatchObject({
      ok: false,
      error: { code: "LEDGER_UNAVAILABLE" },
    });
  });

  test.each(["LEAD", "PLAN", "WORK", "REVIEW", "DONE"])(
    "a move to %s that the log did not take is not made",
    async (to) => {
      const harness = await agentHarness(script(greeting));
      const full = err(domainError("LEDGER_UNAVAILABLE", "the disk is full"));
      const recorder = {
        ...harness.recorder,
        stage: (input: EventInput) =>
          input.type === "agent.transition" && input.payload.to === to ? full : harness.recorder.stage(input),
      } as Recorder;
      expect(await planWorkReview({ ...harness.context, recorder })).toMatchObject(full);
    },
  );
});

describe("compaction", () => {
  const chatty = [
    {
      when: { role: "worker", call: 1 },
      respond: { tool_calls: [{ name: "echo", args: { text: "a".repeat(3_000) } }] },
    },
    {
      when: { role: "worker", call: 2 },
      respond: { tool_calls: [{ name: "echo", args: { text: "b".repeat(3_000) } }] },
    },
    { when: { role: "worker", call: 3 }, respond: report("done", ["s1"]) },
  ];

  test("shortens a conversation near its limit and keeps the originals in the log", async () => {
    const harness = await agentHarness(script(chatty), { limits: { context_tokens: 1_600 } });
    expect((await planWorkReview(harness.context)).ok).toBe(true);
    const [compacted] = harness.recorder.of("context.compacted");
    expect(compacted?.tokens_after).toBeLessThan(compacted?.tokens_before ?? 0);
    expect(JSON.stringify(harness.recorder.events)).toContain("a".repeat(3_000));
    expect(harness.recorder.of("hook.fired").map((fired) => fired.point)).toContain("PreCompact");
  });

  test("again and again keeps what was read and the request, and one digest of all the rest", async () => {
    const calls = Array.from({ length: 4 }, (_, index) => ({
      when: { role: "worker", call: index + 1 },
      respond: { tool_calls: [{ name: "echo", args: { text: "x".repeat(3_000) } }] },
    }));
    const provider = script([...calls, { when: { role: "worker", call: 5 }, respond: report("done", ["s1"]) }]);
    const sent: (readonly { readonly role: string; readonly content: string }[])[] = [];
    const harness = await agentHarness(
      {
        id: "fake",
        complete: (call) => {
          if (call.meta.role === "worker") sent.push(call.request.messages);
          return provider.complete(call);
        },
      },
      { limits: { context_tokens: 1_600, max_tool_calls: 9 } },
    );
    expect((await planWorkReview({ ...harness.context, background: "Write British English." })).ok).toBe(true);
    expect(harness.recorder.of("context.compacted").length).toBeGreaterThan(1);
    const last = sent.at(-1) ?? [];
    expect(last.slice(0, 3).map(({ role }) => role)).toEqual(["system", "user", "user"]);
    expect(last[1]?.content).toBe("Write British English.");
    expect(JSON.parse(last[2]?.content ?? "")).toHaveProperty("step");
    expect(last.filter(({ content }) => content.includes("shortened to this digest; the log"))).toHaveLength(1);
  });

  test("a PreCompact hook may forbid it", async () => {
    const guard = functionHook({
      id: "guard",
      point: "PreCompact",
      decide: () => ({ decision: "deny", reason: "keep everything" }),
    });
    const harness = await agentHarness(script(chatty), { limits: { context_tokens: 1_600 }, hooks: [guard] });
    expect(await planWorkReview(harness.context)).toMatchObject({
      ok: false,
      error: { code: "GATE_DENIED", message: expect.stringContaining("keep everything") },
    });
  });
});
