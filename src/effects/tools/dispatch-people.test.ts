import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err, ok, sha256 } from "#core/values";
import type { Ask, Verdict } from "#people";
import {
  codeOf,
  gate,
  recordingTool,
  scopeOf,
  toolBench,
  toolSpec,
  valueOf,
} from "../../../test/support/tool-bench.ts";
import { dispatch } from "./dispatch.ts";

const decided = { approval_id: "APR-1", by: "ada", reason: "" };

/** A person who answers every question alike, and what they were asked. */
function person(verdict: Verdict = { state: "approved", ...decided, result: null }) {
  const asked: unknown[] = [];
  const ask: Ask = (_kind, question) => {
    asked.push(question);
    return Promise.resolve(ok(verdict));
  };
  return { asked, ask };
}

const redactor = {
  redactJson: (value: unknown) => ({
    value: JSON.parse(JSON.stringify(value).replaceAll("4111111111111111", "[card]")),
  }),
};
const asking = (more: object = {}) => gate({ PreToolUse: () => ({ decision: "ask", reason: "may it?", ...more }) });

/** As the log holds a call that was announced. */
const announced = (tool_hash: string) => ({
  call_id: "c1",
  name: "say",
  args: { text: "hi" },
  args_hash: sha256('{"text":"hi"}'),
  tool_hash,
  idempotency_key: "KEY-first",
  attempt: 1,
  skill: null,
  work_order_id: "WO-20261115-001",
});

describe("a person is asked", () => {
  test("about the tool as it is defined and the arguments as they would run: changed by the gate, redacted for all but the tool", async () => {
    const seen: unknown[] = [];
    const { asked, ask } = person();
    const hooks = asking({ output: { text: "changed 4111111111111111" } });
    const bench = toolBench({ tools: [recordingTool(seen)], deps: { hooks, redactor, ask } });
    valueOf(await bench.call("say", { text: "as it came" }));
    const shown = { text: "changed [card]" };
    expect(asked).toMatchObject([{ args: shown, tool: "say", tool_hash: bench.registry.find("say")?.tool.hash }]);
    expect(seen).toEqual([{ text: "changed 4111111111111111" }]);
    expect(bench.recorder.of("tool.invoke")).toMatchObject([{ args: shown }]);
  });

  test("only about arguments that the tool takes, also where the gate changed them; their schema is that of the values", async () => {
    const { asked, ask } = person();
    const unfit = toolBench({
      tools: [recordingTool()],
      deps: { hooks: asking({ output: { text: 1 } }), ask },
    });
    expect(codeOf(await unfit.call("say", { text: "hi" }))).toBe("SCHEMA_VIOLATION");
    const short = toolSpec({
      name: "pay",
      schema_in: { type: "object", properties: { card: { type: "string", minLength: 16 } } },
      invoke: () => Promise.resolve(ok({})),
    });
    const redacting = toolBench({ tools: [short], deps: { hooks: asking(), redactor, ask } });
    expect(codeOf(await redacting.call("pay", { card: "4111" }))).toBe("SCHEMA_VIOLATION");
    expect(asked).toEqual([]);
    expect(redacting.types()).not.toContain("tool.invoke");
    valueOf(await redacting.call("pay", { card: "4111111111111111" }));
    expect(asked).toMatchObject([{ args: { card: "[card]" } }]);
  });

  test("and says no: the tool does not run; has not said yet: nothing is recorded as refused", async () => {
    const seen: unknown[] = [];
    const no = person({ state: "denied", ...decided, expired: false });
    const denied = toolBench({ tools: [recordingTool(seen)], deps: { hooks: asking(), ask: no.ask } });
    expect(codeOf(await denied.call("say", { text: "hi" }))).toBe("GATE_DENIED");
    expect(denied.types()).toEqual(["tool.refused"]);
    const later = person({ state: "waiting", approval_id: "APR-1", expires_at: "2026-11-16" });
    const waiting = toolBench({ tools: [recordingTool(seen)], deps: { hooks: asking(), ask: later.ask } });
    expect(codeOf(await waiting.call("say", { text: "hi" }))).toBe("APPROVAL_PENDING");
    expect(waiting.types()).toEqual([]);
    expect(seen).toEqual([]);
  });
});

describe("the last look before a call", () => {
  const notInForce = () => Promise.resolve(err(domainError("TOOL_NOT_ALLOWED", "not what the session began with")));
  test("a definition that is not in force for the session is not called, however allowed it is", async () => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [recordingTool(seen)], deps: { isInForce: notInForce } });
    expect(codeOf(await bench.call("say", { text: "hi" }))).toBe("TOOL_NOT_ALLOWED");
    expect(seen).toEqual([]);
    expect(bench.types()).toEqual(["tool.refused"]);
  });

  test.each([
    ["is no longer in force", { isInForce: notInForce }, scopeOf(["*"])],
    ["is no longer within the rights", {}, scopeOf(["other"])],
  ])("a call that is taken up again is not repeated when its tool %s", async (_, deps, scope) => {
    const seen: unknown[] = [];
    const bench = toolBench({ tools: [{ ...recordingTool(seen), annotations: { idempotent: true } }], deps });
    const tool_hash = bench.registry.find("say")?.tool.hash ?? "";
    const recorded = () => ({ invoke: announced(tool_hash) });
    const call = { id: "c1", name: "say", args: { text: "hi" } };
    const outcome = valueOf(await dispatch(call, scope, { ...bench.deps, recorded }));
    expect(outcome).toMatchObject({ isError: true, error: { code: "TOOL_NOT_ALLOWED" } });
    expect(seen).toEqual([]);
    // The attempt that was cut off has its end, and the model learns why there is no other.
    expect(bench.types()).toEqual(["tool.result", "tool.output"]);
    expect(bench.recorder.of("tool.result")).toMatchObject([{ attempt: 1, error: { code: "INTERRUPTED" } }]);
  });

  test("what was canceled before it started asks no gate", async () => {
    const hooks = gate({});
    const bench = toolBench({ tools: [recordingTool()], deps: { hooks, signal: AbortSignal.abort() } });
    expect(codeOf(await bench.call("say", { text: "hi" }))).toBe("CANCELED");
    expect(hooks.asked).toEqual([]);
  });
});

describe("what a model sees", () => {
  test("nothing, where PostToolUse would have a person asked: the tool has run", async () => {
    const hooks = gate({ PostToolUse: () => ({ decision: "ask", reason: "look first" }) });
    const bench = toolBench({ tools: [recordingTool()], deps: { hooks, ask: person().ask } });
    expect(codeOf(await bench.call("say", { text: "hi" }))).toBe("GATE_DENIED");
    expect(bench.recorder.of("tool.output")).toMatchObject([{ shown: false }]);
  });

  test("a result that PostToolUse changed is redacted like any other", async () => {
    const hooks = gate({ PostToolUse: () => ({ decision: "transform", output: { text: "4111111111111111" } }) });
    const bench = toolBench({ tools: [recordingTool()], deps: { hooks, redactor } });
    const outcome = valueOf(await bench.call("say", { text: "hi" }));
    expect(outcome.content).toEqual({ text: "[card]" });
    expect(outcome.content_hash).toBe(sha256('{"text":"[card]"}'));
    expect(JSON.stringify(bench.recorder.events)).not.toContain("4111");
  });

  test("what a person says a call answered is redacted, also where its end was recorded", async () => {
    const bench = toolBench({ tools: [recordingTool()], deps: { redactor } });
    const tool_hash = bench.registry.find("say")?.tool.hash ?? "";
    const recorded = () => ({
      invoke: announced(tool_hash),
      result: {
        call_id: "c1",
        name: "say",
        attempt: 1,
        status: "canceled" as const,
        result_hash: null,
        duration_ms: 1,
      },
      resolution: { outcome: "done" as const, result: { text: "4111111111111111" } },
    });
    const call = { id: "c1", name: "say", args: { text: "hi" } };
    const outcome = valueOf(await dispatch(call, scopeOf(["*"]), { ...bench.deps, recorded }));
    expect(outcome.content).toEqual({ text: "[card]" });
    expect(JSON.stringify(bench.recorder.events)).not.toContain("4111");
  });

  test("nothing of a call that ended well while the session was stopping: a resumed one decides", async () => {
    const stop = new AbortController();
    const hooks = gate({});
    const tool = toolSpec({
      name: "say",
      invoke: () => {
        stop.abort();
        return Promise.resolve(ok({ done: true }));
      },
    });
    const bench = toolBench({ tools: [tool], deps: { hooks, signal: stop.signal } });
    expect(codeOf(await bench.call("say"))).toBe("CANCELED");
    expect(hooks.asked.map(({ point }) => point)).toEqual(["PreToolUse"]);
    expect(bench.types()).toEqual(["tool.invoke", "tool.result"]);
    expect(bench.recorder.of("tool.result")).toMatchObject([{ status: "ok" }]);
  });
});
