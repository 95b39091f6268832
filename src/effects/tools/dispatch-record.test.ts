import { describe, expect, test } from "vitest";
import { ok, sha256 } from "#core/values";
import { codeOf, gate, recordingTool, scopeOf, toolBench, valueOf } from "../../../test/support/tool-bench.ts";
import { dispatch } from "./dispatch.ts";

describe("redaction", () => {
  const redactor = {
    redactJson: (value: unknown) => ({
      value: JSON.parse(JSON.stringify(value).replaceAll("4111111111111111", "[card]")),
    }),
  };

  test("what the log leaves out only the tool gets: neither the model, nor the record, nor any hash", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)], deps: { redactor } });
    const outcome = valueOf(await bench.call("say", { text: "pay 4111111111111111" }));
    expect(seen).toEqual([{ text: "pay 4111111111111111" }]);
    expect(outcome.content).toEqual({ text: "pay [card]" });
    expect(bench.recorder.of("tool.invoke")[0]?.args_hash).toBe(sha256('{"text":"pay [card]"}'));
    expect(outcome.content_hash).toBe(sha256('{"text":"pay [card]"}'));
    expect(JSON.stringify(bench.recorder.events)).not.toContain("4111");
  });

  test("when the log changed the arguments after they were hashed, the tool does not run and the pair is complete", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)] });
    const { recorder } = bench;
    const append = ((event: { payload: object }) =>
      recorder.append({
        ...event,
        payload: redactor.redactJson(event.payload).value,
      } as never)) as typeof recorder.append;
    const deps = { ...bench.deps, recorder: { ...recorder, append } };
    const result = await dispatch({ id: "c", name: "say", args: { text: "4111111111111111" } }, scopeOf(["*"]), deps);
    expect(codeOf(result)).toBe("INTERNAL");
    expect(seen).toEqual([]);
    expect(bench.types()).toEqual(["tool.invoke", "tool.result", "tool.output"]);
  });
});

describe("a session taken up again", () => {
  const invoke = {
    call_id: "c1",
    name: "say",
    args: { text: "hi" },
    args_hash: sha256('{"text":"hi"}'),
    tool_hash: "",
    idempotency_key: "KEY-first",
    attempt: 1,
    skill: null,
    work_order_id: "WO-20261115-001",
  };

  test("a recorded output is reused: no call, no event", async () => {
    const seen: unknown[] = [];
    const first = toolBench({ tools: [recordingTool(seen)] });
    const outcome = valueOf(await first.call("say", { text: "hi" }, { id: "c1" }));
    const recorded = () => ({
      invoke: first.recorder.of("tool.invoke")[0] as never,
      output: first.recorder.of("tool.output")[0] as never,
    });
    const second = toolBench({ tools: [recordingTool(seen)], deps: { recorded } });
    expect(valueOf(await second.call("say", { text: "hi" }, { id: "c1" }))).toEqual(outcome);
    expect(seen).toHaveLength(1);
    expect(second.recorder.events).toEqual([]);
    expect(codeOf(await second.call("other", {}, { id: "c1" }))).toBe("MALFORMED_INPUT");
  });

  test("a withheld result stays withheld", async () => {
    const hooks = gate({ PostToolUse: () => ({ decision: "deny", reason: "no" }) });
    const first = toolBench({ tools: [recordingTool()], deps: { hooks } });
    await first.call("say", { text: "hi" }, { id: "c1" });
    const recorded = () => ({
      invoke: first.recorder.of("tool.invoke")[0] as never,
      output: first.recorder.of("tool.output")[0] as never,
    });
    const second = toolBench({ tools: [recordingTool()], deps: { recorded } });
    expect(codeOf(await second.call("say", { text: "hi" }, { id: "c1" }))).toBe("GATE_DENIED");
  });

  test("an idempotent tool without a recorded end is called again with the recorded arguments and key", async () => {
    const keys: string[] = [];
    const tool = {
      ...recordingTool(),
      annotations: { idempotent: true },
      invoke: (args: object, context: { idempotency_key: string }) => {
        keys.push(context.idempotency_key);
        return Promise.resolve(ok(args as { text: string }));
      },
    };
    const bench = toolBench({ tools: [tool] });
    const tool_hash = bench.registry.find("say")?.tool.hash ?? "";
    const deps = { ...bench.deps, recorded: () => ({ invoke: { ...invoke, tool_hash } }) };
    const outcome = valueOf(await dispatch({ id: "c1", name: "say", args: { text: "other" } }, scopeOf(["*"]), deps));
    expect(outcome.content).toEqual({ text: "hi" });
    expect(keys).toEqual(["KEY-first"]);
    expect(bench.recorder.of("tool.invoke")[0]).toMatchObject({ attempt: 2, idempotency_key: "KEY-first" });
    expect(bench.recorder.of("tool.result")[0]).toMatchObject({ attempt: 1, error: { code: "INTERRUPTED" } });
    expect(bench.recorder.of("tool.result")[1]).toMatchObject({ attempt: 2 });
  });

  test("any other tool is in doubt, and a changed definition is not called at all", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)] });
    const tool_hash = bench.registry.find("say")?.tool.hash ?? "";
    const call = { id: "c1", name: "say", args: {} };
    const doubt = await dispatch(call, scopeOf(["*"]), {
      ...bench.deps,
      recorded: () => ({ invoke: { ...invoke, tool_hash } }),
    });
    expect(codeOf(doubt)).toBe("EFFECT_IN_DOUBT");
    const changed = await dispatch(call, scopeOf(["*"]), {
      ...bench.deps,
      recorded: () => ({ invoke: { ...invoke, tool_hash: "0".repeat(64) } }),
    });
    expect(codeOf(changed)).toBe("TOOL_NOT_ALLOWED");
    expect(seen).toEqual([]);
  });
});
