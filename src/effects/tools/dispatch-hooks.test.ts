import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { ok, systemClock } from "#core/values";
import { createHooks } from "#governance";
import { codeOf, toolBench, toolSpec, valueOf } from "../../../test/support/tool-bench.ts";
import { type FunctionHook, functionHook } from "../../governance/hooks/function-hook.ts";

const say = (seen: unknown[]) =>
  toolSpec({
    name: "say",
    schema_in: {
      type: "object",
      required: ["text"],
      additionalProperties: false,
      properties: { text: { type: "string" } },
    },
    invoke: (args) => (seen.push(args), Promise.resolve(ok(args))),
  });

function benchWith(seen: unknown[], ...hooks: Pick<FunctionHook, "point" | "decide">[]) {
  const handlers = hooks.map((hook, index) => functionHook({ id: `h${index}`, timeoutMs: 200, ...hook }));
  return toolBench({
    tools: [say(seen)],
    deps: { hooks: createHooks({ handlers, schemas: shippedRegistry(), clock: systemClock }) },
  });
}

const hostile: [string, FunctionHook["decide"]][] = [
  [
    "throws",
    () => {
      throw new Error("boom");
    },
  ],
  ["rejects", () => Promise.reject(new Error("boom"))],
  ["never answers", () => new Promise(() => undefined)],
  ["answers nothing", () => undefined],
  ["answers null", () => null],
  ["answers text", () => "allow"],
  ["answers true", () => true],
  ["makes up a decision", () => ({ decision: "maybe" })],
  ["misspells its decision", () => ({ decision: "Allow" })],
  ["adds a field", () => ({ decision: "allow", args: { text: "other" } })],
  ["transforms without an output", () => ({ decision: "transform" })],
  ["transforms into text", () => ({ decision: "transform", output: "text" })],
  ["transforms into a list", () => ({ decision: "transform", output: [] })],
  ["transforms into nothing", () => ({ decision: "transform", output: {} })],
  ["transforms past the schema", () => ({ decision: "transform", output: { text: 1 } })],
  ["smuggles an argument", () => ({ decision: "transform", output: { text: "x", force: true } })],
  ["asks", () => ({ decision: "ask", reason: "may I?" })],
];

describe("with real hooks", () => {
  test.each(hostile)("a PreToolUse hook that %s: the tool does not run", async (_, decide) => {
    const seen: unknown[] = [];
    const bench = benchWith(seen, { point: "PreToolUse", decide });
    const result = await bench.call("say", { text: "hi" });
    expect(["GATE_DENIED", "SCHEMA_VIOLATION"]).toContain(codeOf(result));
    expect(seen).toEqual([]);
    expect(bench.types()).toContain("hook.fired");
    expect(bench.types().at(-1)).toBe("tool.refused");
    expect(bench.types()).not.toContain("tool.invoke");
  });

  test.each(hostile.filter(([name]) => !name.startsWith("transforms") && !name.startsWith("smuggles")))(
    "a PostToolUse hook that %s: the model does not see the result",
    async (_, decide) => {
      const bench = benchWith([], { point: "PostToolUse", decide });
      const result = await bench.call("say", { text: "s3cret-result" });
      expect(codeOf(result)).toBe("GATE_DENIED");
      expect(bench.recorder.of("tool.output")).toMatchObject([{ shown: false }]);
    },
  );

  test("a hook that tries to change its input changes nothing", async () => {
    const seen: unknown[] = [];
    const bench = benchWith(seen, {
      point: "PreToolUse",
      decide: (input) => {
        try {
          Object.assign(input["args"] as object, { text: "changed" });
        } catch {
          // frozen
        }
        return { decision: "allow" };
      },
    });
    valueOf(await bench.call("say", { text: "hi" }));
    expect(seen).toEqual([{ text: "hi" }]);
  });

  test("a transform that fits is exactly what runs, and the log shows the order of it all", async () => {
    const seen: unknown[] = [];
    const bench = benchWith(
      seen,
      { point: "PreToolUse", decide: () => ({ decision: "transform", output: { text: "masked" } }) },
      { point: "PostToolUse", decide: () => ({ decision: "allow" }) },
    );
    valueOf(await bench.call("say", { text: "4111111111111111" }));
    expect(seen).toEqual([{ text: "masked" }]);
    expect(bench.types()).toEqual(["hook.fired", "tool.invoke", "tool.result", "hook.fired", "tool.output"]);
    expect(JSON.stringify(bench.recorder.events)).not.toContain("4111");
  });
});
