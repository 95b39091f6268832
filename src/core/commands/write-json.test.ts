import fc from "fast-check";
import { expect, test } from "vitest";
import { writeJson } from "./write-json.ts";

async function written(value: unknown): Promise<string> {
  let text = "";
  await writeJson(value, { write: (piece) => void (text += piece) });
  return text;
}

test("a document is what JSON.stringify makes of it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything({ withDate: true }), async (value) => {
      fc.pre(JSON.stringify(value) !== undefined);
      expect(await written(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
    }),
    { numRuns: 150 },
  );
  const hard = { a: [], b: {}, c: undefined, d: [undefined, { e: ["\n", "\u2028"] }], toString: 1 };
  expect(await written(hard)).toBe(`${JSON.stringify(hard, null, 2)}\n`);
});

test("items that come one after the other are an array, and never one text", async () => {
  const count = 5_000;
  const pieces: number[] = [];
  async function* items() {
    for (let seq = 0; seq < count; seq++) yield { seq, text: "x".repeat(100) };
  }
  let text = "";
  let taken = 0;
  const output = {
    write(piece: string) {
      pieces.push(piece.length);
      text += piece;
    },
    drained: () => Promise.resolve().then(() => void (taken = pieces.length)),
  };
  await writeJson({ before: 1, items: items(), after: [] }, output);
  expect(taken).toBe(pieces.length - 1); // each but the last was waited for
  expect(Math.max(...pieces)).toBeLessThan(100_000);
  const value = JSON.parse(text) as { readonly items: readonly { readonly seq: number }[] };
  expect(value).toMatchObject({ before: 1, after: [] });
  expect(value.items.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, seq) => seq));
  async function* failing() {
    yield 1;
    throw new Error("cut short");
  }
  await expect(written({ items: failing() })).rejects.toThrow("cut short");
});
