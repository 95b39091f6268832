import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { canonicalJson, type JsonValue } from "#core/values";
import { type AnswerContract, readAnswer, readArguments } from "./reader.ts";
import { wrappings } from "./wrappings.case.ts";

const schemas = shippedRegistry();

function contractOf(id: string): AnswerContract {
  const schema = schemas.schema(id);
  if (!schema.ok) throw new Error(id);
  return { id, schema: schema.value, validate: (value) => schemas.validate(id, value) };
}

const answers: Readonly<Record<string, JsonValue>> = {
  lead_directive_v1: { intent: "Greet Ada", constraints: ["one line"], needs_advisor: false, schema_version: "v1" },
  plan_v1: {
    steps: [{ id: "s1", description: "Say {hello} to “Ada”, then stop" }],
    risks: [],
    needs_advisor: false,
    schema_version: "v1",
  },
  worker_report_v1: { output: 'Hello, "Ada" ```js\n{}\n```', steps_completed: ["s1"], schema_version: "v1" },
  review_result_v1: { verdict: "pass", feedback: "", schema_version: "v1" },
};

describe.each(Object.entries(answers))("%s", (id, answer) => {
  test.each(wrappings)("$name: reads $reads", ({ wrap, reads }) => {
    const read = readAnswer(wrap(JSON.stringify(answer)), contractOf(id));
    expect(read.ok).toBe(reads);
    if (read.ok) expect(canonicalJson(read.value.value)).toBe(canonicalJson(answer));
  });

  test("bare JSON that keeps its contract takes no step", () => {
    expect(readAnswer(JSON.stringify(answer), contractOf(id))).toMatchObject({ ok: true, value: { steps: [] } });
  });

  test("a version that was left out is the only one there is", () => {
    const { schema_version: _, ...rest } = answer as Record<string, JsonValue>;
    const read = readAnswer(JSON.stringify(rest), contractOf(id));
    expect(read).toMatchObject({ ok: true, value: { value: answer, steps: ["const /schema_version"] } });
  });
});

describe("where the contract leaves one reading", () => {
  const contract = contractOf("review_result_v1");
  const review = { feedback: "ok", schema_version: "v1" };
  test("the case of an enum", () => {
    const read = readAnswer(JSON.stringify({ verdict: "PASS", ...review }), contract);
    expect(read).toMatchObject({ ok: true, value: { value: { verdict: "pass" }, steps: ["enum case /verdict"] } });
  });
  test.each([["passed"], [" pass"], [true], [null]])("%j is no spelling of pass", (verdict) => {
    expect(readAnswer(JSON.stringify({ verdict, ...review }), contract).ok).toBe(false);
  });
  test("a required text is not invented", () => {
    const read = readAnswer('{"verdict":"pass","schema_version":"v1"}', contract);
    expect(read).toMatchObject({ ok: false, error: { code: "SCHEMA_VIOLATION", details: { cause: "violation" } } });
  });
  test("one text for a list, null for what may be absent, a number for text", () => {
    const lead = contractOf("lead_directive_v1");
    const read = readAnswer('{"intent":7,"constraints":"be short, and kind","needs_advisor":null}', lead);
    expect(read).toMatchObject({
      ok: true,
      value: {
        value: { intent: "7", constraints: ["be short, and kind"], schema_version: "v1" },
        steps: [
          "number as text /intent",
          "one as list /constraints",
          "null left out /needs_advisor",
          "const /schema_version",
        ],
      },
    });
  });
  test.each([
    ["12", true],
    ["012", false],
    ["1e3", false],
    ["12 ", false],
    ["9007199254740993", false],
  ])("the text %j as a whole number: %s", (text, reads) => {
    const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
    const validate = (value: unknown) =>
      Number.isInteger((value as { n: unknown }).n)
        ? ({ ok: true, value } as const)
        : schemas.validate("review_result_v1", value);
    expect(readAnswer(JSON.stringify({ n: text }), { id: "n", schema, validate }).ok).toBe(reads);
  });
});

describe("never", () => {
  const contract = contractOf("worker_report_v1");
  const answer = JSON.stringify(answers["worker_report_v1"]);
  test.each([
    ["an object within a cut one", `{"report": ${answer}, "more": [`, "cut"],
    ["an object within one that cannot be read", `{"report": ${answer}, "done": True}`, "not JSON"],
    ["an object beside one that cannot be read", `{'a': 1} ${answer}`, "not JSON"],
    ["one of two fences", `\`\`\`json\n${answer}\n\`\`\`\n\`\`\`json\n{"output": "b"}\n\`\`\``, "several objects"],
    ["one of a list of two", `[${answer}, ${answer}]`, "violation"],
    ["a key that stands twice", answer.replace("{", '{"output":"other",'), "not JSON"],
    ["reasoning without an answer", `<think>${answer}</think>`, "empty"],
    ["reasoning that was cut", `<think>I would say ${answer}, but`, "cut"],
    ["nothing", " \n", "empty"],
    ["prose", "I have said hello.", "no object"],
  ])("%s", (_, text, cause) => {
    const read = readAnswer(text, contract);
    expect(read).toMatchObject({ ok: false, error: { details: { cause } } });
  });

  test("free text is not touched, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(wrappings.length - 1), (output, index) => {
        const wrapping = wrappings[index];
        if (!wrapping?.reads || !output.isWellFormed()) return;
        const said = { output, steps_completed: [], schema_version: "v1" };
        const read = readAnswer(wrapping.wrap(JSON.stringify(said)), contract);
        if (read.ok) expect(read.value.value).toEqual(said);
      }),
      { seed: 26, numRuns: 2000 },
    );
  });

  test("a part of an answer is not the answer", () => {
    const nested = contractOf("plan_v1");
    const whole = JSON.stringify({ wrapped: answers["plan_v1"], also: [1, 2, 3] });
    for (let end = 0; end < whole.length; end++) expect(readAnswer(whole.slice(0, end), nested).ok).toBe(false);
  });
});

describe("arguments of a tool", () => {
  const contract = contractOf("fs.read.args_v1");
  test("nothing is an object without members", () => {
    const anything: AnswerContract = { id: "none", schema: {}, validate: (value) => ({ ok: true, value }) };
    expect(readArguments("", anything)).toEqual({ ok: true, value: { value: {}, steps: [] } });
  });
  test("a fence and a trailing comma", () => {
    const read = readArguments('```json\n{"path": "a.md",}\n```', contract);
    expect(read).toEqual({ ok: true, value: { value: { path: "a.md" }, steps: ["fence", "trailing comma"] } });
  });
  test("a value that was parsed", () => {
    expect(readArguments({ path: "a.md" }, contract)).toEqual({
      ok: true,
      value: { value: { path: "a.md" }, steps: [] },
    });
  });
});
