import { describe, expect, test } from "vitest";
import { type JsonValue, ok, type Result, sleep, systemClock } from "#core/values";
import { codeOf, gate, toolBench, toolSpec, valueOf } from "../../../test/support/tool-bench.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { defaultToolLimits } from "./limits.ts";
import { type ToolSpec } from "./tool.ts";

type Invoke = ToolSpec["invoke"];

function hostile(invoke: Invoke, more: Partial<ToolSpec> = {}) {
  return toolSpec({ name: "hostile", schema_out: {}, ...more, invoke });
}

const giving =
  (value: unknown): Invoke =>
  () =>
    Promise.resolve({ ok: true, value } as unknown as Result<JsonValue>);
const answering =
  (answer: unknown): Invoke =>
  () =>
    answer as ReturnType<Invoke>;

/** Lets what is waiting for a promise go on; the manual clock stands still meanwhile. */
const settle = () => sleep(systemClock, 5);

describe("a tool that does not answer", () => {
  test("is stopped at its limit, and left behind when it ignores the signal", async () => {
    const clock = manualClock();
    let signal: AbortSignal | undefined;
    const tool = hostile((_, context) => ((signal = context.signal), new Promise(() => undefined)), {
      timeoutMs: 1000,
    });
    const bench = toolBench({ tools: [tool], clock });
    const calling = bench.call("hostile");
    await settle();
    clock.advance(999);
    expect(signal?.aborted).toBe(false);
    clock.advance(1);
    await settle();
    expect(signal?.aborted).toBe(true);
    clock.advance(defaultToolLimits.graceMs);
    expect(valueOf(await calling)).toMatchObject({ isError: true, error: { code: "TOOL_TIMEOUT" } });
    expect(bench.recorder.of("tool.result")[0]).toMatchObject({
      status: "timed_out",
      abandoned: true,
      result_hash: null,
    });
  });

  test("and stops at the signal is not reported as left behind", async () => {
    const clock = manualClock();
    const tool = hostile(
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
      { timeoutMs: 10 },
    );
    const bench = toolBench({ tools: [tool], clock });
    const calling = bench.call("hostile");
    await settle();
    clock.advance(10);
    expect(codeOf(await calling)).toBe("TOOL_TIMEOUT");
    expect(bench.recorder.of("tool.result")[0]).toMatchObject({ status: "timed_out", abandoned: false });
  });

  test("but finishes while it is being stopped has finished: its effect is not reported as missing", async () => {
    const clock = manualClock();
    const tool = hostile(
      (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(ok({ done: true })))),
      { timeoutMs: 10 },
    );
    const bench = toolBench({ tools: [tool], clock });
    const calling = bench.call("hostile");
    await settle();
    clock.advance(10);
    expect(valueOf(await calling)).toMatchObject({ isError: false, content: { done: true } });
  });

  test("cannot ask for more time than the ceiling", async () => {
    const clock = manualClock();
    const tool = hostile(() => new Promise(() => undefined), { timeoutMs: Number.MAX_SAFE_INTEGER });
    const bench = toolBench({ tools: [tool], clock, deps: { limits: { maxTimeoutMs: 50, graceMs: 1 } } });
    const calling = bench.call("hostile");
    await settle();
    clock.advance(50);
    await settle();
    clock.advance(1);
    expect(codeOf(await calling)).toBe("TOOL_TIMEOUT");
  });

  test("is cancelled with its session; the pair is complete and nothing is shown", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const tool = hostile(() => new Promise(() => undefined));
    const bench = toolBench({ tools: [tool], clock, deps: { signal: controller.signal } });
    const calling = bench.call("hostile");
    await settle();
    controller.abort();
    await settle();
    clock.advance(defaultToolLimits.graceMs);
    expect(codeOf(await calling)).toBe("CANCELED");
    expect(bench.types()).toEqual(["tool.invoke", "tool.result"]);
    expect(bench.recorder.of("tool.result")[0]).toMatchObject({ status: "canceled", abandoned: true });
  });

  test("a session cancelled while its gate is asked shows nothing and records no verdict", async () => {
    const controller = new AbortController();
    const hooks = gate({ PostToolUse: () => (controller.abort(), { decision: "deny", reason: "interrupted" }) });
    const tool = hostile(() => Promise.resolve(ok({ done: true })));
    const bench = toolBench({ tools: [tool], deps: { signal: controller.signal, hooks } });
    expect(codeOf(await bench.call("hostile"))).toBe("CANCELED");
    expect(bench.types()).toEqual(["tool.invoke", "tool.result"]);
    expect(bench.recorder.of("tool.result")[0]).toMatchObject({ status: "ok" });
  });

  test("and fails long after it was left behind causes no unhandled rejection", async () => {
    const clock = manualClock();
    let fail: (error: Error) => void = () => undefined;
    const tool = hostile(() => new Promise((_, reject) => (fail = reject)), { timeoutMs: 1 });
    const bench = toolBench({ tools: [tool], clock });
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listen);
    const calling = bench.call("hostile");
    await settle();
    clock.advance(1);
    await settle();
    clock.advance(defaultToolLimits.graceMs);
    await calling;
    const events = bench.recorder.events.length;
    fail(new Error("too late"));
    await settle();
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
    expect(bench.recorder.events).toHaveLength(events);
  });
});

describe("a tool that throws", () => {
  const unprintable = Object.create(null) as object;
  test.each([
    ["an Error", new Error("boom")],
    ["text", "boom"],
    ["nothing", undefined],
    ["an object without a text", unprintable],
    ["a megabyte", new Error("x".repeat(1_000_000))],
    ["half a character", new Error("\ud800")],
  ])("%s becomes an error of bounded size", async (_, thrown) => {
    const bench = toolBench({
      tools: [
        hostile(() => {
          throw thrown;
        }),
      ],
    });
    expect(valueOf(await bench.call("hostile"))).toMatchObject({ isError: true, error: { code: "TOOL_ERROR" } });
    expect(JSON.stringify(bench.recorder.events).length).toBeLessThan(8000);
    expect(bench.recorder.of("tool.result")[0]).toMatchObject({ status: "error" });
  });
});

const loop: Record<string, unknown> = {};
loop["self"] = loop;
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

describe("a tool that answers with something else than JSON", () => {
  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a big integer", 10n],
    ["not a number", Number.NaN],
    ["infinity", { n: Number.POSITIVE_INFINITY }],
    ["an integer that would be rounded", 2 ** 60],
    ["a date", new Date(0)],
    ["a map", new Map([["a", 1]])],
    ["bytes", new Uint8Array(4)],
    ["a promise inside", { p: Promise.resolve(1) }],
    ["a loop", loop],
    ["nesting without end", deep(2000)],
    ["half a character", { text: "\udc00" }],
    ["half a character in a key", { "\ud800": 1 }],
    ["a __proto__ key", JSON.parse('{"__proto__": {"admin": true}}')],
    [
      "a getter that throws",
      {
        get x() {
          throw new Error("trap");
        },
      },
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("trap");
          },
        },
      ),
    ],
    ["an array with holes", Object.assign([1], { 2: 3 })],
  ])("%s is an error, not a result", async (_, value) => {
    const bench = toolBench({ tools: [hostile(giving(value))] });
    expect(valueOf(await bench.call("hostile"))).toMatchObject({ isError: true, error: { code: "TOOL_ERROR" } });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["text", "done"],
    ["a Result without ok", Promise.resolve({ value: 1 })],
    ["an ok that is no boolean", Promise.resolve({ ok: "yes", value: 1 })],
    ["an error that is nothing", Promise.resolve({ ok: false })],
    ["an error with a code of its own", Promise.resolve({ ok: false, error: { code: "__proto__", message: 7 } })],
    [
      "an answer that traps",
      Promise.resolve(
        new Proxy(
          {},
          {
            has: () => {
              throw new Error("trap");
            },
          },
        ),
      ),
    ],
  ])("and no Result at all (%s) is an error too", async (_, answer) => {
    const bench = toolBench({ tools: [hostile(answering(answer))] });
    expect(valueOf(await bench.call("hostile"))).toMatchObject({ isError: true, error: { code: "TOOL_ERROR" } });
  });

  test("plain data with awkward keys is data", async () => {
    const value = { constructor: 1, prototype: 2, toString: "x", hasOwnProperty: null, toJSON: 1 };
    const bench = toolBench({ tools: [hostile(giving(value))] });
    expect(valueOf(await bench.call("hostile")).content).toEqual(value);
  });
});

describe("a tool that floods", () => {
  test("is cut off at its limit, and the log stays small", async () => {
    const flood = { lines: Array.from({ length: 200_000 }, () => "spam spam spam") };
    const bench = toolBench({ tools: [hostile(giving(flood))] });
    const outcome = valueOf(await bench.call("hostile"));
    expect(outcome).toMatchObject({ isError: true, error: { code: "TOOL_ERROR" } });
    expect(outcome.error?.message).toContain(`more than ${defaultToolLimits.maxOutputBytes} bytes`);
    expect(JSON.stringify(bench.recorder.events).length).toBeLessThan(8000);
  });

  test("without end is read no further than the limit", async () => {
    let read = 0;
    const endless = new Proxy([], {
      get: (target, key, self) =>
        key === "length"
          ? 2 ** 31
          : typeof key === "string" && /^\d+$/.test(key)
            ? (read++, "x".repeat(1000))
            : Reflect.get(target, key, self),
    });
    const bench = toolBench({ tools: [hostile(giving(endless))] });
    expect(codeOf(await bench.call("hostile"))).toBe("TOOL_ERROR");
    expect(read).toBeLessThan(300);
  });

  test("cannot raise its own limit above the ceiling", async () => {
    const tool = hostile(giving("x".repeat(2000)), { maxOutputBytes: Number.MAX_SAFE_INTEGER });
    const bench = toolBench({ tools: [tool], deps: { limits: { maxOutputBytesCeiling: 1000 } } });
    expect(codeOf(await bench.call("hostile"))).toBe("TOOL_ERROR");
  });

  test("with its error's details loses the details, not the error", async () => {
    const answer = Promise.resolve({
      ok: false,
      error: { code: "NOT_FOUND", message: "gone", details: { all: "x".repeat(1e6) } },
    });
    const outcome = valueOf(await toolBench({ tools: [hostile(answering(answer))] }).call("hostile"));
    expect(outcome.content).toEqual({ error: { code: "NOT_FOUND", message: "gone", retryable: false } });
  });

  test("arguments above the limit are refused before anyone looks at them", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [hostile((args) => (seen.push(args), Promise.resolve(ok(1))))] });
    expect(codeOf(await bench.call("hostile", { text: "x".repeat(2_000_000) }))).toBe("SCHEMA_VIOLATION");
    expect(seen).toEqual([]);
    expect(JSON.stringify(bench.recorder.events).length).toBeLessThan(2000);
  });
});

describe("a value that changes while it is looked at", () => {
  test("is read once: what was checked is what is recorded and shown", async () => {
    let reads = 0;
    const shifty = {
      get text() {
        return `reading ${++reads}`;
      },
    };
    const bench = toolBench({ tools: [hostile(giving(shifty))] });
    const outcome = valueOf(await bench.call("hostile"));
    expect(outcome.content).toEqual({ text: "reading 1" });
    expect(bench.recorder.of("tool.output")[0]?.content).toEqual({ text: "reading 1" });
    expect(reads).toBe(1);
  });

  test("arguments cannot be changed by the tool that gets them, nor by the caller meanwhile", async () => {
    const args = { list: [1, 2] };
    const tool = hostile((given) => {
      args.list.push(3);
      expect(Object.isFrozen(given)).toBe(true);
      expect(Object.isFrozen(given["list"])).toBe(true);
      return Promise.resolve(ok(given));
    });
    const bench = toolBench({ tools: [tool] });
    expect(valueOf(await bench.call("hostile", args)).content).toEqual({ list: [1, 2] });
    expect(bench.recorder.of("tool.invoke")[0]?.args).toEqual({ list: [1, 2] });
  });

  test("a result kept by the tool and changed later does not change what was shown", async () => {
    const kept = { text: "first" };
    const bench = toolBench({ tools: [hostile(giving(kept))] });
    const outcome = valueOf(await bench.call("hostile"));
    kept.text = "second";
    expect(outcome.content).toEqual({ text: "first" });
  });
});
