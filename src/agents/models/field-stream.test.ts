import fc from "fast-check";
import { expect, test } from "vitest";
import { FieldStream } from "./field-stream.ts";

/** The answer cut at these places, and what a person saw of it. */
function shown(answer: string, cuts: readonly number[], field = "output"): string {
  const stream = new FieldStream(field);
  const places = [
    0,
    ...cuts.map((cut) => cut % (answer.length + 1)).toSorted((one, other) => one - other),
    answer.length,
  ];
  return places
    .slice(1)
    .map((to, index) => stream.push(answer.slice(places[index], to)))
    .join("");
}

test("the field is shown as its value, wherever the pieces are cut and whatever stands beside it", () => {
  const others = fc.dictionary(
    fc.string().filter((name) => name !== "output"),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), others, others, fc.array(fc.nat()), (text, before, after, cuts) => {
      for (const indent of [0, 2])
        expect(shown(JSON.stringify({ ...before, output: text, ...after }, null, indent), cuts)).toBe(text);
    }),
  );
});

test("a field of that name further in, a document without it, and plain text show nothing", () => {
  for (const answer of ['{"steps":[{"output":"no"}],"a":{"output":"no"}}', '{"b":"output","c":1}', "prose with output"])
    expect(shown(answer, [3, 9])).toBe("");
  expect(shown('Sure:\n```json\n{"output": "yes \\u00e9\\n"}\n```', [5, 20, 30])).toBe("yes é\n");
});
