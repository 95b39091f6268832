import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { modelHarness, script } from "../../../../../test/support/model.ts";
import { manualClock } from "../../../../core/values/manual-clock.ts";
import { readScript } from "./script.ts";

const ask = async (rules: object[], prompt: string, extra: object = {}) => {
  const harness = await modelHarness(script(rules), { token_limit: 1_000_000 });
  return { harness, answered: await harness.router.send(harness.request(prompt, extra)) };
};

describe("the scripted provider", () => {
  test("answers with the first rule that matches role, call, skill and prompt", async () => {
    const rules = [
      { when: { role: "planner" }, respond: { text: "wrong role" } },
      { when: { skill: "other" }, respond: { text: "wrong skill" } },
      { when: { call: 2 }, respond: { text: "wrong call" } },
      { when: { prompt: "(?i)bob" }, respond: { text: "wrong prompt" } },
      { when: { role: "worker", call: 1, skill: "greet", prompt: "(?i)ADA" }, respond: { text: "right" } },
      { respond: { text: "later" } },
    ];
    const { answered } = await ask(rules, "greet Ada", { skill: "greet" });
    expect(answered).toMatchObject({ ok: true, value: { text: "right" } });
  });

  test("counts calls from 1 per role and session", async () => {
    const harness = await modelHarness(
      script([1, 2].map((call) => ({ when: { role: "worker", call }, respond: { text: `answer ${call}` } }))),
    );
    await harness.router.send(harness.request("x", { role: "lead" }));
    expect(await harness.router.send(harness.request("x"))).toMatchObject({ value: { text: "answer 1" } });
    expect(await harness.router.send(harness.request("x"))).toMatchObject({ value: { text: "answer 2" } });
  });

  test("gives errors on demand, as often as the script says", async () => {
    const harness = await modelHarness(
      script([{ respond: { error: { status: 529, retryable: true }, times: 2 } }, { respond: { text: "recovered" } }]),
      { token_limit: 1_000_000 },
    );
    for (let turn = 0; turn < 2; turn++)
      expect(await harness.router.send(harness.request("x"))).toMatchObject({
        ok: false,
        error: { code: "PROVIDER_ERROR", retryable: true, details: { status: 529 } },
      });
    expect(await harness.router.send(harness.request("x"))).toMatchObject({ value: { text: "recovered" } });
  });

  test("fills groups of the prompt's match into text, JSON and arguments, but leaves raw bytes alone", async () => {
    const when = { prompt: "greet (\\w+) and (\\w+)" };
    const filled = await ask(
      [{ when, respond: { tool_calls: [{ name: "echo", args: { text: "Hello, ${1} & ${2}; ${prompt}" } }] } }],
      "greet Ada and Bob",
    );
    expect(filled.answered).toMatchObject({
      value: {
        tool_calls: [{ name: "echo", args: { text: "Hello, Ada & Bob; greet Ada and Bob" } }],
        finish_reason: "tool_use",
      },
    });
    const raw = await ask([{ when, respond: { raw: "{not json ${1}" } }], "greet Ada and Bob");
    expect(raw.answered).toMatchObject({ value: { text: "{not json ${1}" } });
  });

  test("waits as long as the script says, and not at all once canceled", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const harness = await modelHarness(script([{ respond: { text: "late", delay_ms: 500 } }], clock), { clock });
    const pending = harness.router.send(harness.request("x", { signal: controller.signal }));
    await new Promise<void>((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await pending).toMatchObject({ ok: false, error: { code: "CANCELED" } });
  });

  test("the same script gives the same log twice", async () => {
    const run = async () => {
      const harness = await modelHarness(script([]), { token_limit: 1_000_000 });
      for (const role of ["lead", "planner", "worker", "reviewer"])
        await harness.router.send(harness.request('{"step":{"id":"s1"}}', { role }));
      return JSON.stringify(harness.recorder.events.map(({ payload, type }) => ({ type, payload })));
    };
    expect(await run()).toBe(await run());
  });

  test.each([
    ["an unknown key", { rules: [{ when: { rol: "worker" }, respond: {} }] }],
    ["a pattern that RE2 does not know", { rules: [{ when: { prompt: "(?=look)" }, respond: {} }] }],
    ["no rules", {}],
    ["not an object", "rules"],
  ])("refuses a script with %s and names its source", (_, document) => {
    const read = readScript(document, "script.yaml", shippedRegistry());
    expect(read.ok).toBe(false);
    expect(!read.ok && read.error.message).toContain("script.yaml");
  });
});
