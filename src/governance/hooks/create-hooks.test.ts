import * as fc from "fast-check";
import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { canonicalJson, type JsonObject, sha256, systemClock } from "#core/values";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { createHooks } from "./create-hooks.ts";
import { type FunctionHook, functionHook } from "./function-hook.ts";
import type { HookPoint } from "./hook-point.ts";

const schemas = shippedRegistry();

function setUp(...hooks: (Partial<FunctionHook> & Pick<FunctionHook, "decide">)[]) {
  const handlers = hooks.map((hook, index) => functionHook({ id: `h${index + 1}`, point: "PreToolUse", ...hook }));
  const recorder = memoryRecorder();
  const asked = createHooks({ handlers, schemas, clock: systemClock, key: "k" });
  const fire = async (
    payload: JsonObject = { tool: "echo", args: { text: "hi" } },
    options: { point?: HookPoint; canAsk?: boolean; subject?: string } = {},
  ) => {
    const { point = "PreToolUse", subject = "echo", ...context } = options;
    const fired = await asked.fire(point, { subject, payload }, { recorder, ...context });
    if (!fired.ok) throw new Error(fired.error.message);
    return fired.value;
  };
  return { fire, recorder, hooks: asked };
}

const allow = () => ({ decision: "allow", reason: "fine" });

test("higher priorities are asked first, equals in the order of their registration", async () => {
  const order: string[] = [];
  const say = (name: string) => () => {
    order.push(name);
    return { decision: "allow" };
  };
  const { fire } = setUp(
    { decide: say("a"), priority: 1 },
    { decide: say("b"), priority: 100 },
    { decide: say("c"), priority: 100 },
  );
  await fire();
  expect(order).toEqual(["b", "c", "a"]);
});

test("each transform goes to the next handler, and the last one goes on", async () => {
  const add = (text: string) => (input: JsonObject) => ({
    decision: "transform",
    output: { text: `${(input["args"] as { text: string }).text}${text}` },
    reason: `+${text}`,
  });
  const { fire } = setUp({ decide: add("1") }, { decide: allow }, { decide: add("2") });
  expect(await fire()).toEqual({ decision: "transform", output: { text: "hi12" }, reason: "+1; +2", decidedBy: "h3" });
});

test("who is canceled while a hook thinks was not denied: nobody decided, and nothing is recorded that would stand later", async () => {
  const pressed = new AbortController();
  const { hooks, recorder } = setUp({
    decide: () => {
      pressed.abort("SIGINT");
      return new Promise(() => undefined);
    },
  });
  const input = { subject: "echo", payload: { tool: "echo", args: {} } };
  const fired = await hooks.fire("PreToolUse", input, { recorder, signal: pressed.signal });
  expect(fired).toMatchObject({ ok: false, error: { code: "CANCELED", kind: "canceled" } });
  expect(recorder.of("hook.fired")).toEqual([]);
});

test("a denial ends the asking; the handlers behind it are named as not asked", async () => {
  let asked = false;
  const { fire, recorder } = setUp(
    { decide: () => ({ decision: "deny", reason: "closed today" }) },
    {
      decide: () => {
        asked = true;
        return { decision: "allow" };
      },
    },
  );
  expect(await fire()).toEqual({ decision: "deny", reason: "closed today", decidedBy: "h1" });
  expect(asked).toBe(false);
  expect(recorder.of("hook.fired")[0]).toMatchObject({ not_asked: ["h2"] });
});

test("at Stop everyone is asked, and a denial still wins", async () => {
  let notified = false;
  const { fire } = setUp(
    { point: "Stop", decide: () => ({ decision: "deny", reason: "done" }) },
    {
      point: "Stop",
      decide: () => {
        notified = true;
        return { decision: "allow" };
      },
    },
  );
  expect(await fire({ ok: true }, { point: "Stop" })).toMatchObject({ decision: "deny", reason: "done" });
  expect(notified).toBe(true);
});

test("a function that returns nothing denies", async () => {
  const { fire } = setUp({ decide: () => undefined });
  expect(await fire()).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("the hook h1 answered with nothing"),
  });
});

test("a function that never settles is given up at its limit, and its signal tells it", async () => {
  const clock = manualClock();
  let signal: AbortSignal | undefined;
  const handler = functionHook({
    id: "slow",
    point: "PreToolUse",
    timeoutMs: 500,
    decide: (_, about) => {
      signal = about.signal;
      return new Promise(() => undefined);
    },
  });
  const hooks = createHooks({ handlers: [handler], schemas, clock });
  const pending = hooks.fire("PreToolUse", { payload: {} }, { recorder: memoryRecorder() });
  clock.advance(500);
  expect(await pending).toMatchObject({
    value: { decision: "deny", reason: "the hook slow did not answer within 500 ms" },
  });
  expect(signal?.aborted).toBe(true);
});

test("a hook cannot change the input that the runtime, or the next hook, sees", async () => {
  const payload = { tool: "echo", args: { text: "hi", list: [1, 2] } };
  const seen: unknown[] = [];
  const { fire } = setUp(
    {
      decide: (input) => {
        try {
          (input["args"] as { text: string }).text = "changed";
        } catch {} // frozen: the attempt throws
        Reflect.set(input, "tool", "rm");
        Reflect.deleteProperty(input["args"] as object, "text");
        Reflect.set((input["args"] as { list: object }).list, "0", 99);
        return { decision: "allow" };
      },
    },
    {
      decide: (input) => {
        seen.push(structuredClone(input));
        return { decision: "allow" };
      },
    },
  );
  expect(await fire(payload)).toMatchObject({ decision: "allow" });
  expect(payload).toEqual({ tool: "echo", args: { text: "hi", list: [1, 2] } });
  expect(seen).toEqual([payload]);
});

test("what a hook said is what counts, whatever it does to its answer afterwards", async () => {
  const kept = { decision: "transform", output: { text: "safe" } };
  const { fire } = setUp({ decide: () => kept });
  const outcome = await fire();
  kept.output.text = "changed after the check";
  expect(outcome.output).toEqual({ text: "safe" });
  expect(() => Reflect.set(outcome.output as object, "text", "x")).not.toThrow();
  expect(outcome.output).toEqual({ text: "safe" });
});

test("an answer that changes between two looks is read once", async () => {
  let looks = 0;
  const shifty = () => ({
    get decision() {
      looks += 1;
      return looks === 1 ? "deny" : "allow";
    },
    reason: "first look",
  });
  const { fire } = setUp({ decide: shifty });
  expect(await fire()).toMatchObject({ decision: "deny", reason: "first look" });
  expect(looks).toBe(1);
});

test.for([
  { name: "a Date", output: new Date(0) },
  { name: "NaN", output: { n: Number.NaN } },
  { name: "a function", output: { f: () => 1 } },
  { name: "a bigint", output: { n: 1n } },
  { name: "a lone surrogate", output: { s: "\ud800" } },
  { name: "a Map", output: new Map([["a", 1]]) },
])("a transform that holds $name is no transform", async ({ output }) => {
  const { fire } = setUp({ decide: () => ({ decision: "transform", output }) });
  expect(await fire()).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("the hook h1 gave an answer that"),
  });
});

test("an ask is denied while nobody can be asked, and wins over a transform when someone can", async () => {
  const { fire } = setUp(
    { decide: () => ({ decision: "transform", output: { text: "x" } }) },
    { decide: () => ({ decision: "ask", reason: "sure?" }) },
  );
  expect(await fire()).toMatchObject({ decision: "deny", decidedBy: "h2" });
  expect(await fire(undefined, { canAsk: true })).toEqual({
    decision: "ask",
    reason: "sure?",
    output: { text: "x" },
    decidedBy: "h2",
  });
});

test.for(["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "WorkflowComplete"] as const)(
  "an ask at %s denies, whoever could be asked, and says where a hook may ask",
  async (point) => {
    const { fire } = setUp({ decide: () => ({ decision: "ask", reason: "sure?" }), point });
    expect(await fire(undefined, { point, canAsk: true })).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/^the hook h1 asks for a person, and at \w+ a question cannot wait .*PreToolUse/),
    });
  },
);

test("every firing is one event: who, what, why, how long, each handler's word, and hashes instead of content", async () => {
  const { fire, recorder } = setUp(
    { decide: allow, priority: 5 },
    { decide: () => ({ decision: "transform", output: {} }), matcher: "ec*" },
    { decide: allow, matcher: "fs.*" },
  );
  await fire({ tool: "echo", args: { card: "4111111111111111" } });
  const [fired, ...others] = recorder.of("hook.fired");
  expect(others).toEqual([]);
  expect(fired).toMatchObject({
    point: "PreToolUse",
    subject: "echo",
    handler: "h2",
    decision: "transform",
    output_hash: sha256(canonicalJson({})),
  });
  expect(fired?.handlers.map(({ id, decision }) => [id, decision])).toEqual([
    ["h1", "allow"],
    ["h2", "transform"],
  ]);
  expect(fired?.input_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(fired?.input_hash).not.toBe(sha256(canonicalJson({ tool: "echo", args: { card: "4111111111111111" } })));
  expect(JSON.stringify(fired)).not.toContain("4111");
});

test("a point that no handler is registered for allows and says so in the log", async () => {
  const { fire, recorder } = setUp();
  expect(await fire(undefined, { point: "PreCompact" })).toMatchObject({ decision: "allow", decidedBy: "none" });
  expect(recorder.of("hook.fired")[0]).toMatchObject({ handlers: [], reason: "no hook is asked at PreCompact" });
});

test("a handler whose matcher cannot be read is asked about everything and denies", async () => {
  const { fire } = setUp({ decide: allow, matcher: "(?=x)" });
  expect(await fire()).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("the hook h1 cannot be asked"),
  });
});

test("two handlers of one name stay apart in the log", async () => {
  const { hooks } = setUp({ id: "twin", decide: allow }, { id: "twin", decide: allow });
  expect(hooks.list().map(({ id }) => id)).toEqual(["twin", "twin#2"]);
});

test("a prompt may become empty, but not something else than a prompt", async () => {
  const decide = (output: unknown) => ({
    point: "UserPromptSubmit" as const,
    decide: () => ({ decision: "transform", output }),
  });
  const options = { point: "UserPromptSubmit" as const };
  expect(await setUp(decide({ prompt: "" })).fire({ prompt: "p" }, options)).toMatchObject({
    decision: "transform",
    output: { prompt: "" },
  });
  for (const wrong of [{}, "text", null, { prompt: 1 }, { prompt: "p", role: "system" }])
    expect(await setUp(decide(wrong)).fire({ prompt: "p" }, options)).toMatchObject({ decision: "deny" });
});

test.for(["SessionStart", "SkillStart", "Stop", "PreCompact", "WorkflowComplete"] as const)(
  "%s has nothing to replace, so a transform there denies instead of passing for an allow",
  async (point) => {
    const { fire } = setUp({ point, decide: () => ({ decision: "transform", output: {} }) });
    expect(await fire({}, { point })).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining(`a transform that ${point} cannot take`),
    });
  },
);

test("when the firing cannot be recorded, nobody hears a decision", async () => {
  const { hooks, recorder } = setUp({ decide: allow });
  const broken = {
    ...recorder,
    stage: () => ({
      ok: false as const,
      error: { kind: "log", code: "LEDGER_UNAVAILABLE", message: "full", retryable: true, details: {} } as const,
    }),
  };
  expect(await hooks.fire("PreToolUse", { payload: {} }, { recorder: broken })).toMatchObject({
    ok: false,
    error: { code: "LEDGER_UNAVAILABLE" },
  });
});

const behaviours = {
  allows: () => ({ decision: "allow" }),
  transforms: () => ({ decision: "transform", output: { safe: true } }),
  asks: () => ({ decision: "ask", reason: "sure?" }),
  denies: () => ({ decision: "deny", reason: "no" }),
  throws: () => {
    throw new Error("broken");
  },
  rejects: () => Promise.reject(new Error("broken")),
  isSilent: () => undefined,
  saysNull: () => null,
  saysYes: () => true,
  misspells: () => ({ decison: "allow" }),
  saysMore: () => ({ decision: "allow", override: true }),
  shouts: () => ({ decision: "ALLOW" }),
  // oxlint-disable-next-line unicorn/no-thenable -- a hook may well
  hasAThen: () => ({
    decision: "allow",
    then: (resolve: (value: unknown) => void) => resolve({ decision: "perhaps" }),
  }),
  isAProxy: () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
        ownKeys: () => {
          throw new Error("no");
        },
      },
    ),
} as const;
const clear = ["allows", "transforms", "asks"];

test("of any handlers in any order, one that is not clearly for it is enough to deny", async () => {
  const names = Object.keys(behaviours) as (keyof typeof behaviours)[];
  const handler = fc.record({
    name: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("allows", "transforms" as const) },
      fc.constantFrom(...names),
    ),
    priority: fc.integer({ min: -5, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(handler, { minLength: 1, maxLength: 6 }), fc.boolean(), async (handlers, canAsk) => {
      const { fire, recorder } = setUp(
        ...handlers.map(({ name, priority }) => ({ priority, decide: behaviours[name] })),
      );
      const outcome = await fire(undefined, { canAsk });
      const said = handlers.map(({ name }) => name);
      const hostile = said.some((name) => !clear.includes(name)) || (!canAsk && said.includes("asks"));
      const expected = hostile
        ? "deny"
        : said.includes("asks")
          ? "ask"
          : said.includes("transforms")
            ? "transform"
            : "allow";
      expect(outcome.decision).toBe(expected);
      if (expected === "transform") expect(outcome.output).toEqual({ safe: true });
      expect(recorder.of("hook.fired")).toHaveLength(1);
    }),
  );
});
