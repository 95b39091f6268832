import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, sha256 } from "#core/values";
import {
  codeOf,
  gate,
  recordingTool,
  scopeOf,
  textIn,
  textOut,
  toolBench,
  toolSpec,
  valueOf,
} from "../../../test/support/tool-bench.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { registerBuiltins } from "./builtin/register-builtins.ts";
import { dispatch } from "./dispatch.ts";

describe("the order of dispatch", () => {
  test("an allowed call is announced, made, recorded, reviewed and shown, in this order", async () => {
    const order: string[] = [];
    const hooks = gate({
      PreToolUse: () => (order.push("PreToolUse"), {}),
      PostToolUse: () => (order.push("PostToolUse"), {}),
    });
    const bench = toolBench({
      tools: [
        toolSpec({
          name: "say",
          schema_in: textIn,
          schema_out: textOut,
          invoke: () => {
            order.push("call");
            return Promise.resolve(ok({ text: "hi" }));
          },
        }),
      ],
    });
    const { recorder } = bench;
    const deps = {
      ...bench.deps,
      hooks,
      recorder: {
        session_id: recorder.session_id,
        append: ((event) => (order.push(`append ${event.type}`), recorder.append(event))) as typeof recorder.append,
        stage: ((event) => (order.push(`stage ${event.type}`), recorder.stage(event))) as typeof recorder.stage,
      },
    };
    const outcome = valueOf(await dispatch({ id: "c1", name: "say", args: { text: "hi" } }, scopeOf(["say"]), deps));
    expect(outcome).toEqual({
      call_id: "c1",
      name: "say",
      content: { text: "hi" },
      content_hash: sha256('{"text":"hi"}'),
      isError: false,
      trust: "untrusted",
    });
    expect(order).toEqual([
      "PreToolUse",
      "append tool.invoke",
      "call",
      "stage tool.result",
      "PostToolUse",
      "append tool.output",
    ]);
  });

  test("the log holds the arguments that ran, their hash, the tool's hash and the hash of the result", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)] });
    valueOf(await bench.call("say", { text: "hi" }));
    const [invoke] = bench.recorder.of("tool.invoke");
    const [result] = bench.recorder.of("tool.result");
    const [output] = bench.recorder.of("tool.output");
    expect(invoke).toMatchObject({ call_id: "call-1", name: "say", args: { text: "hi" }, attempt: 1, skill: "greet" });
    expect(invoke?.args_hash).toBe(sha256(canonicalJson(seen[0])));
    expect(invoke?.tool_hash).toBe(bench.registry.find("say")?.tool.hash);
    expect(result).toMatchObject({ call_id: "call-1", status: "ok", result_hash: sha256('{"text":"hi"}') });
    expect(output).toMatchObject({ shown: true, content: { text: "hi" }, content_hash: sha256('{"text":"hi"}') });
    expect(bench.recorder.events[1]?.parent_id).toBe(bench.recorder.events[0]?.id);
  });

  test("a tool call starts only after tool.invoke is on disk", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)] });
    const { recorder } = bench;
    const broken = { ...recorder, append: () => Promise.resolve(err(domainError("LEDGER_UNAVAILABLE", "disk full"))) };
    const result = await dispatch({ id: "c1", name: "say", args: { text: "x" } }, scopeOf(["*"]), {
      ...bench.deps,
      recorder: broken,
    });
    expect(codeOf(result)).toBe("LEDGER_UNAVAILABLE");
    expect(seen).toEqual([]);
  });

  test("a result of a tool with effects is on disk before anyone sees it; a read-only one rides with the next append", async () => {
    const appended: string[] = [];
    for (const annotations of [{}, { readOnly: true }]) {
      const bench = toolBench({ tools: [{ ...recordingTool(), annotations }] });
      const { recorder } = bench;
      const append = ((event) => (appended.push(event.type), recorder.append(event))) as typeof recorder.append;
      const deps = { ...bench.deps, recorder: { ...recorder, append } };
      valueOf(await dispatch({ id: "c", name: "say", args: { text: "x" } }, scopeOf(["*"]), deps));
      expect(bench.types()).toEqual(["tool.invoke", "tool.result", "tool.output"]);
    }
    expect(appended).toEqual(["tool.invoke", "tool.output", "tool.invoke"]);
  });
});

describe("refusals before the call", () => {
  test("an unknown tool is TOOL_NOT_FOUND, also for a caller without any rights", async () => {
    const bench = toolBench({ tools: [recordingTool()] });
    expect(codeOf(await bench.call("nope", {}, { scope: scopeOf([]) }))).toBe("TOOL_NOT_FOUND");
    expect(codeOf(await bench.call("__proto__"))).toBe("TOOL_NOT_FOUND");
    expect(bench.recorder.of("tool.refused").map(({ name, code }) => [name, code])).toEqual([
      ["nope", "TOOL_NOT_FOUND"],
      ["__proto__", "TOOL_NOT_FOUND"],
    ]);
  });

  test("a tool outside the scope is TOOL_NOT_ALLOWED and says which clause does not grant it", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)] });
    const result = await bench.call("say", { text: "hi" }, { scope: scopeOf(["echo", "fs.*"]) });
    expect(codeOf(result)).toBe("TOOL_NOT_ALLOWED");
    expect(result.ok ? "" : result.error.message).toContain(
      "work order WO-20261115-001 (tool_permissions) does not grant say",
    );
    expect(bench.types()).toEqual(["tool.refused"]);
    expect(seen).toEqual([]);
  });

  test("a glob grants what it names, and nothing that negates grants anything", async () => {
    const tool = toolSpec({ name: "fs.read", invoke: () => Promise.resolve(ok({})) });
    const bench = toolBench({ tools: [tool] });
    const grants = async (pattern: string) =>
      codeOf(await bench.call("fs.read", {}, { scope: scopeOf([pattern]) })) === "ok";
    for (const pattern of ["fs.read", "fs.*", "*", "*.read", "f*d", "fs*re*", "{fs.read,x}"])
      expect([pattern, await grants(pattern)]).toEqual([pattern, true]);
    for (const pattern of ["", "fs", "fs.", "!fs.write", "FS.READ", "f*s.read*x", "fs.read "])
      expect([pattern, await grants(pattern)]).toEqual([pattern, false]);
  });

  test("arguments that break schema_in are SCHEMA_VIOLATION and no hook is asked", async () => {
    const hooks = gate({});
    const bench = toolBench({ tools: [recordingTool()], deps: { hooks } });
    for (const args of [{}, { text: 1 }, { text: "a", extra: 1 }, [], null, "text", 7, undefined])
      expect(codeOf(await bench.call("say", args))).toBe("SCHEMA_VIOLATION");
    expect(hooks.asked).toEqual([]);
    expect(bench.recorder.of("tool.refused")).toHaveLength(8);
    const violations = bench.recorder.of("schema.violation");
    expect(violations).toHaveLength(8);
    expect(violations[0]).toEqual({
      schema_id: "say arguments",
      where: "tools.dispatch",
      violations: [{ path: "$", expected: 'a field "text"', found: "none" }],
    });
  });

  test("a hook that denies is GATE_DENIED with its reason, and the tool does not run", async () => {
    const seen: unknown[] = [];
    const hooks = gate({ PreToolUse: () => ({ decision: "deny", reason: "not on Sundays" }) });
    const bench = toolBench({ tools: [recordingTool(seen)], deps: { hooks } });
    const result = await bench.call("say", { text: "hi" });
    expect(codeOf(result)).toBe("GATE_DENIED");
    expect(result.ok ? "" : result.error.message).toContain("not on Sundays");
    expect(seen).toEqual([]);
    expect(bench.types()).toEqual(["tool.refused"]);
  });

  test("a hook sees whether the tool destroys, may be repeated or only reads", async () => {
    const hooks = gate({});
    const annotations = { destructive: true, idempotent: false, readOnly: false, openWorld: true };
    valueOf(
      await toolBench({ tools: [{ ...recordingTool(), annotations }], deps: { hooks } }).call("say", { text: "x" }),
    );
    expect(hooks.asked[0]).toMatchObject({ point: "PreToolUse", payload: { tool: "say", annotations } });
  });

  test("a hook that asks for a person denies until there is an answer", async () => {
    const hooks = gate({ PreToolUse: () => ({ decision: "ask", reason: "delete?" }) });
    const result = await toolBench({ tools: [recordingTool()], deps: { hooks } }).call("say", { text: "hi" });
    expect(result).toMatchObject({ ok: false, error: { code: "GATE_DENIED", details: { ask: true } } });
  });

  test("a gate that throws is a gate that denied", async () => {
    const hooks = { fire: () => Promise.reject(new Error("boom")) };
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)], deps: { hooks } });
    expect(codeOf(await bench.call("say", { text: "hi" }))).toBe("GATE_DENIED");
    expect(seen).toEqual([]);
  });

  test("a tool that is unavailable refuses with its own reason", async () => {
    const unavailable = () => domainError("SANDBOX_UNAVAILABLE", "no sandbox here");
    const bench = toolBench({ tools: [{ ...recordingTool(), unavailable }] });
    expect(codeOf(await bench.call("say", { text: "x" }))).toBe("SANDBOX_UNAVAILABLE");
    expect(bench.types()).toEqual(["tool.refused"]);
  });

  test("a cancelled session starts no call", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)], deps: { signal: AbortSignal.abort() } });
    expect(codeOf(await bench.call("say", { text: "hi" }))).toBe("CANCELED");
    expect(seen).toEqual([]);
  });

  test("a name or an id of any size or kind leaves one bounded event", async () => {
    const bench = toolBench({ tools: [recordingTool()] });
    expect(codeOf(await bench.call("x".repeat(1_000_000)))).toBe("TOOL_NOT_FOUND");
    expect(codeOf(await bench.call("say", { text: "a" }, { id: "i".repeat(10_000) }))).toBe("MALFORMED_INPUT");
    expect(codeOf(await bench.call("say", { text: "a" }, { id: "" }))).toBe("MALFORMED_INPUT");
    expect(codeOf(await bench.call(undefined as unknown as string))).toBe("TOOL_NOT_FOUND");
    for (const event of bench.recorder.events) expect(JSON.stringify(event).length).toBeLessThan(2000);
  });
});

describe("transforms before the call", () => {
  test("what the hook made of the arguments is validated, logged and run", async () => {
    const seen: unknown[] = [];
    const hooks = gate({ PreToolUse: () => ({ decision: "transform", output: { text: "masked" } }) });
    const bench = toolBench({ tools: [recordingTool(seen)], deps: { hooks } });
    valueOf(await bench.call("say", { text: "4111 1111" }));
    expect(seen).toEqual([{ text: "masked" }]);
    expect(bench.recorder.of("tool.invoke")[0]?.args).toEqual({ text: "masked" });
    expect(JSON.stringify(bench.recorder.events)).not.toContain("4111");
  });

  test("an empty transform is a transform: it is refused by the schema, not replaced by what was asked", async () => {
    for (const output of [{}, null, "", 0, false, [], undefined]) {
      const seen: unknown[] = [];
      const hooks = gate({
        PreToolUse: () => ({ decision: "transform", ...(output === undefined ? {} : { output }) }),
      });
      const bench = toolBench({ tools: [recordingTool(seen)], deps: { hooks } });
      expect(codeOf(await bench.call("say", { text: "hi" }))).toBe("SCHEMA_VIOLATION");
      expect(seen).toEqual([]);
    }
  });

  test("an empty transform that the schema accepts runs with empty arguments", async () => {
    const seen: unknown[] = [];
    const hooks = gate({ PreToolUse: () => ({ decision: "transform", output: {} }) });
    const tool = toolSpec({ name: "any", invoke: (args) => (seen.push(args), Promise.resolve(ok({}))) });
    const bench = toolBench({ tools: [tool], deps: { hooks } });
    valueOf(await bench.call("any", { delete: "everything" }));
    expect(seen).toEqual([{}]);
    expect(bench.recorder.of("tool.invoke")[0]?.args).toEqual({});
  });
});

describe("after the call", () => {
  test("PostToolUse sees the result; deny withholds it from the model and the log", async () => {
    const hooks = gate({ PostToolUse: () => ({ decision: "deny", reason: "looks like a secret" }) });
    const bench = toolBench({ tools: [recordingTool()], deps: { hooks } });
    const result = await bench.call("say", { text: "s3cret" });
    expect(codeOf(result)).toBe("GATE_DENIED");
    expect(hooks.asked[1]).toMatchObject({
      point: "PostToolUse",
      payload: { result: { text: "s3cret" }, args: { text: "s3cret" } },
    });
    expect(bench.types()).toEqual(["tool.invoke", "tool.result", "tool.output"]);
    const [output] = bench.recorder.of("tool.output");
    expect(output).toMatchObject({ shown: false, error: { code: "GATE_DENIED" } });
    expect(output).not.toHaveProperty("content");
  });

  test("a transform replaces what the model sees, and only the replacement is recorded", async () => {
    const hooks = gate({ PostToolUse: () => ({ decision: "transform", output: { text: "[removed]" } }) });
    const tool = { ...recordingTool(), invoke: () => Promise.resolve(ok({ text: "s3cret" })) };
    const bench = toolBench({ tools: [tool], deps: { hooks } });
    const outcome = valueOf(await bench.call("say", { text: "go" }));
    expect(outcome.content).toEqual({ text: "[removed]" });
    expect(outcome.content_hash).toBe(sha256('{"text":"[removed]"}'));
    expect(JSON.stringify(bench.recorder.events)).not.toContain("s3cret");
  });

  test("a result that breaks schema_out is withheld, whether the tool or a hook made it so", async () => {
    const wrong = { ...recordingTool(), invoke: () => Promise.resolve(ok({ text: 7 })) };
    const bench = toolBench({ tools: [wrong] });
    expect(codeOf(await bench.call("say", { text: "x" }))).toBe("SCHEMA_VIOLATION");
    expect(bench.recorder.of("tool.output")[0]).toMatchObject({ shown: false, error: { code: "SCHEMA_VIOLATION" } });
    expect(bench.recorder.of("schema.violation")).toMatchObject([{ schema_id: "say result" }]);

    const hooks = gate({ PostToolUse: () => ({ decision: "transform", output: null }) });
    const transformed = toolBench({ tools: [recordingTool()], deps: { hooks } });
    expect(codeOf(await transformed.call("say", { text: "x" }))).toBe("SCHEMA_VIOLATION");
  });

  test("a tool that fails is an outcome the model can read, with the code it failed with", async () => {
    const tool = toolSpec({
      name: "broken",
      invoke: () => Promise.resolve(err(domainError("WRITE_CONFLICT", "stale", { details: { current_hash: "abc" } }))),
    });
    const bench = toolBench({ tools: [tool] });
    const outcome = valueOf(await bench.call("broken"));
    expect(outcome).toMatchObject({
      isError: true,
      error: { code: "WRITE_CONFLICT" },
      content: {
        error: { code: "WRITE_CONFLICT", message: "stale", retryable: true, details: { current_hash: "abc" } },
      },
    });
    expect(bench.recorder.of("tool.result")[0]).toMatchObject({
      status: "error",
      result_hash: null,
      error: { code: "WRITE_CONFLICT" },
    });
  });
});

test("echo gives back its text and is trusted", async () => {
  const bench = toolBench({ clock: manualClock() });
  valueOf(registerBuiltins(bench.registry, { schemas: shippedRegistry() }));
  const outcome = valueOf(await bench.call("echo", { text: "Hello, Ada" }, { scope: scopeOf(["echo"]) }));
  expect(outcome).toMatchObject({ content: { text: "Hello, Ada" }, isError: false, trust: "trusted" });
});
