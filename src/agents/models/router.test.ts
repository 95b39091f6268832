import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err, ok } from "#core/values";
import type { EventInput, Recorder } from "#log";
import { modelHarness, script } from "../../../test/support/model.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { Provider } from "./provider.ts";

const fair = { input_tokens: 10, output_tokens: 5 };

const answering = (text: string, answer: { readonly usage: unknown } = { usage: fair }): Provider => ({
  id: "fake",
  complete: async ({ request }) =>
    ok({
      text,
      tool_calls: [],
      finish_reason: "stop",
      usage: answer.usage as never,
      model: request.model,
      schema_version: "v1",
    }),
});

describe("the router", () => {
  test("announces a prompt durably before the provider is asked", async () => {
    const seen: string[] = [];
    const harness = await modelHarness({
      id: "fake",
      complete: async (call) => {
        seen.push(...harness.recorder.events.map((event) => event.type));
        return answering("hello").complete(call);
      },
    });
    await harness.router.send(harness.request("hi"));
    expect(seen).toContain("llm.request");
    const events = harness.recorder.events.map((event) =>
      event.type === "budget.updated" ? (event.payload as { action: string }).action : event.type,
    );
    expect(events).toEqual(["allocate", "reserve", "llm.request", "llm.response", "settle"]);
  });

  test("an answer whose failed attempts the log did not take counts for nothing", async () => {
    const harness = await modelHarness({
      id: "fake",
      complete: async (call) => {
        const error = domainError("PROVIDER_ERROR", "overloaded");
        await call.attempts?.failed({ attempt: 1, error, retryInMs: 5 });
        return answering("hello").complete(call);
      },
    });
    const full = err(domainError("LEDGER_UNAVAILABLE", "the disk is full"));
    const recorder = {
      ...harness.recorder,
      stage: (input: EventInput) => (input.type === "llm.attempt" ? full : harness.recorder.stage(input)),
    } as Recorder;
    expect(await harness.router.send({ ...harness.request("hi"), recorder })).toMatchObject(full);
    expect(await harness.router.send(harness.request("hi"))).toMatchObject({ ok: true });
    expect(harness.recorder.of("llm.attempt")).toMatchObject([{ attempt: 1, error: { message: "overloaded" } }]);
  });

  test("records only what is new in a conversation, under a hash of the whole", async () => {
    const harness = await modelHarness(answering("hello"));
    await harness.router.send(harness.request("one"));
    await harness.router.send(harness.request("two"));
    const [first, second] = harness.recorder.of("llm.request");
    expect(second?.new_messages).toEqual([{ role: "user", content: "two" }]);
    expect(second?.message_count).toBe(3);
    expect(second?.conversation_hash).not.toBe(first?.conversation_hash);
    expect(harness.conversation.messages.map((message) => message.content)).toEqual(["one", "hello", "two", "hello"]);
  });

  test("sends and hashes what the log holds, not what the person typed", async () => {
    let sent = "";
    const harness = await modelHarness(
      {
        id: "fake",
        complete: (call) => (
          (sent = JSON.stringify(call.request.messages)), answering("your secret is s3cret").complete(call)
        ),
      },
      { redact: <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll("s3cret", "[REDACTED]")) as T },
    );
    const answered = await harness.router.send(harness.request("my password is s3cret"));
    expect(sent).not.toContain("s3cret");
    expect(answered.ok && answered.value.text).toBe("your secret is [REDACTED]");
    expect(JSON.stringify(harness.recorder.events)).not.toContain("s3cret");
  });

  test("settles what was used and gives back the rest of the reservation", async () => {
    const harness = await modelHarness(answering("hello", { usage: { input_tokens: 100, output_tokens: 20 } }));
    await harness.router.send(harness.request("hi"));
    const status = await harness.budgeter.status(harness.scope);
    expect(status.ok && status.value.spent).toEqual({
      input_tokens: 100,
      output_tokens: 20,
      usd: (100 + 200) / 1e6,
      turns: 1,
    });
    expect(status.ok && status.value.reserved).toEqual({ tokens: 0, usd: 0 });
  });

  test.each([
    ["missing", undefined],
    ["null", null],
    ["negative", { input_tokens: -5, output_tokens: 3 }],
    ["not a number", { input_tokens: Number.NaN, output_tokens: 3 }],
    ["infinite", { input_tokens: Number.POSITIVE_INFINITY, output_tokens: 3 }],
    ["absurd", { input_tokens: 10, output_tokens: 9e15 }],
    ["fractional", { input_tokens: 1.5, output_tokens: 3 }],
    ["text", { input_tokens: "10", output_tokens: "3" }],
  ])("settles hostile usage (%s) at the reservation, marked as estimated", async (_, usage) => {
    const harness = await modelHarness(answering("hello", { usage }));
    const answered = await harness.router.send(harness.request("hi"));
    expect(answered.ok && answered.value.usage.estimated).toBe(true);
    const [response] = harness.recorder.of("llm.response");
    expect(response?.usage).toMatchObject({ estimated: true, output_tokens: 500 });
    const status = await harness.budgeter.status(harness.scope);
    expect(status.ok && status.value.reserved.tokens).toBe(0);
    expect(status.ok && status.value.spent.output_tokens).toBe(500);
  });

  test("refuses before sending when the budget cannot pay, and says so in the log", async () => {
    let asked = 0;
    const harness = await modelHarness(
      { id: "fake", complete: (call) => (asked++, answering("x").complete(call)) },
      { token_limit: 20 },
    );
    const answered = await harness.router.send(
      harness.request("a prompt that is much longer than twenty tokens ".repeat(5)),
    );
    expect(answered).toMatchObject({ ok: false, error: { code: "BUDGET_EXHAUSTED" } });
    expect(asked).toBe(0);
    expect(harness.recorder.of("llm.refused")).toMatchObject([{ code: "BUDGET_EXHAUSTED" }]);
    expect(harness.recorder.of("llm.request")).toEqual([]);
  });

  test("counts model calls against the turn limit", async () => {
    const harness = await modelHarness(answering("hello"), { turn_limit: 1 });
    expect((await harness.router.send(harness.request("one"))).ok).toBe(true);
    expect(await harness.router.send(harness.request("two"))).toMatchObject({
      ok: false,
      error: { code: "BUDGET_EXHAUSTED" },
    });
  });

  test("a provider that does not answer in time is a timeout, and the pair in the log is complete", async () => {
    const clock = manualClock();
    const harness = await modelHarness(
      { id: "fake", complete: () => new Promise(() => clock.advance(1_000)) },
      { clock },
    );
    expect(await harness.router.send(harness.request("hi"))).toMatchObject({
      ok: false,
      error: { code: "PROVIDER_TIMEOUT", retryable: true },
    });
    expect(harness.recorder.of("llm.response")).toMatchObject([
      { status: "error", error: { code: "PROVIDER_TIMEOUT" }, usage: { estimated: true } },
    ]);
  });

  test("a provider that throws is an error value", async () => {
    const harness = await modelHarness({ id: "fake", complete: () => Promise.reject(new Error("socket hang up")) });
    expect(await harness.router.send(harness.request("hi"))).toMatchObject({
      ok: false,
      error: { code: "PROVIDER_ERROR" },
    });
    expect(harness.recorder.of("llm.response")).toHaveLength(1);
  });

  test("an answer outside the contract is a provider error, never passed on", async () => {
    const harness = await modelHarness({
      id: "fake",
      complete: async () => ok({ text: 5, tool_calls: [{ name: "x" }] } as never),
    });
    expect(await harness.router.send(harness.request("hi"))).toMatchObject({
      ok: false,
      error: { code: "PROVIDER_ERROR" },
    });
  });

  test("cancelling answers at once", async () => {
    const controller = new AbortController();
    const harness = await modelHarness({ id: "fake", complete: () => new Promise(() => controller.abort()) });
    expect(await harness.router.send(harness.request("hi", { signal: controller.signal }))).toMatchObject({
      ok: false,
      error: { code: "CANCELED" },
    });
  });

  test("a probe that its budget refuses gives its place to the next one", async () => {
    const clock = manualClock();
    let broken = true;
    const harness = await modelHarness(
      {
        id: "fake",
        complete: async (call) =>
          broken ? err(domainError("PROVIDER_ERROR", "down")) : answering("up").complete(call),
      },
      { clock, token_limit: 100_000 },
    );
    for (let failure = 0; failure < 3; failure++) await harness.router.send(harness.request("hi"));
    broken = false;
    clock.advance(1_000);
    const tooLong = await harness.router.send(harness.request("words ".repeat(150_000)));
    expect(tooLong).toMatchObject({ ok: false, error: { code: "BUDGET_EXHAUSTED" } });
    expect(await harness.router.send(harness.request("hi"))).toMatchObject({ ok: true, value: { text: "up" } });
  });

  test("opens the circuit after repeated failures, lets one probe through after the recovery time, and closes on success", async () => {
    const clock = manualClock();
    let broken = true;
    let asked = 0;
    const harness = await modelHarness(
      {
        id: "fake",
        complete: async (call) => (
          asked++, broken ? err(domainError("PROVIDER_ERROR", "down")) : answering("up").complete(call)
        ),
      },
      { clock, token_limit: 1_000_000 },
    );
    for (let failure = 0; failure < 3; failure++) await harness.router.send(harness.request("hi"));
    expect(await harness.router.send(harness.request("hi"))).toMatchObject({
      ok: false,
      error: { code: "CIRCUIT_OPEN" },
    });
    expect(asked).toBe(3);
    clock.advance(1_000);
    expect(await harness.router.send(harness.request("hi"))).toMatchObject({
      ok: false,
      error: { code: "PROVIDER_ERROR" },
    });
    expect(await harness.router.send(harness.request("hi"))).toMatchObject({
      ok: false,
      error: { code: "CIRCUIT_OPEN" },
    });
    broken = false;
    clock.advance(1_000);
    expect((await harness.router.send(harness.request("hi"))).ok).toBe(true);
    expect((await harness.router.send(harness.request("hi"))).ok).toBe(true);
    expect(harness.recorder.of("llm.refused").map((refused) => refused.code)).toEqual(["CIRCUIT_OPEN", "CIRCUIT_OPEN"]);
  });

  test("every request in the log has exactly one response, whatever happened", async () => {
    const harness = await modelHarness(
      script([
        { when: { call: 1 }, respond: { text: "fine" } },
        { when: { call: 2 }, respond: { error: { status: 500 } } },
        { when: { call: 3 }, respond: { raw: "\u0000garbage", usage: null } },
        { when: { call: 4 }, respond: { text: "cut", finish_reason: "max_tokens" } },
      ]),
      { token_limit: 1_000_000 },
    );
    for (let call = 0; call < 4; call++) await harness.router.send(harness.request(`call ${call}`));
    const requests = harness.recorder.of("llm.request").map((request) => request.request_id);
    const responses = harness.recorder.of("llm.response").map((response) => response.request_id);
    expect(responses).toEqual(requests);
  });
});
