// For any file and any edit that touches no secret: read, edited and written through dispatch, every other byte stays.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { sha256 } from "#core/values";
import { builtinBench } from "../support/builtin-bench.ts";
import { sealBench } from "../support/seal-bench.ts";

const place = "<<here>>";

const letters = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(..."abcXYZ019-_!"), minLength: least, maxLength: most });

/** Secrets of many kinds, in the surroundings by which they are found. */
const secrets = fc.oneof(
  letters(8, 20).map((password) => `url: postgres://app:${password}@db:5432/app`),
  letters(8, 20).map((password) => `url: postgres://app:${password}@db/x # ${password}, the other ${password}-2`),
  letters(6, 14).map((password) =>
    JSON.stringify({ text: `password: "${password}\\"tail"`, again: `${password}"tail` }),
  ),
  letters(8, 20).map((password) => `Server=db;User Id=app;Password=${password};`),
  letters(8, 20).map((password) => `{"user": "app", "password": "${password}"}`),
  letters(8, 20).map((password) => `  mysql -u app -p${password} db`),
  letters(36, 36).map((token) => `token = ghp_${token.replaceAll(/[-_!]/g, "a")}`),
  fc.constantFrom("card: 4111 1111 1111 1111", "4111111111111111", '{"card": 4111111111111111, "n": 1}'),
  fc.constant("-----BEGIN PRIVATE KEY-----\nMIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6\n-----END PRIVATE KEY-----"),
  fc.constant("Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"),
);

/** Text that only looks as if something had been taken out of it. */
const literals = fc.constantFrom(
  "[REDACTED:password]",
  "[REDACTED:connection-string]",
  "[REDACTED:nothing-of-the-kind]",
  "[SEALED:password:abcdefghijklmnop]",
  "[SEALED:…]",
  "[sealed: x]",
  "password: [SEALED:password:abcdefghijklmnop]",
  "postgres://app:[REDACTED:connection-string]@db/app",
);

const plain = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replaceAll("\u0000", "")),
  fc.constantFrom(place, "", "a: 1", "\t", "é ü 漢字 🦊", "\u200b", "const x = [1, 2];"),
);

const files = fc
  .record({
    bom: fc.boolean(),
    lines: fc.array(fc.oneof({ weight: 3, arbitrary: plain }, secrets, literals), { maxLength: 12 }),
    ending: fc.constantFrom("\n", "\r\n", "\r"),
    isEnded: fc.boolean(),
  })
  .map(({ bom, lines, ending, isEnded }) => `${bom ? "\ufeff" : ""}${lines.join(ending)}${isEnded ? ending : ""}`)
  .filter((text) => text.isWellFormed());

function benchOf() {
  const root = mkdtempSync(join(tmpdir(), "writ-edits-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const { seals, redactor } = sealBench();
  const bench = builtinBench(root, { deps: { seals, redactor } });
  return { root, bench, file: join(root, "file.txt") };
}

test("read-edit-write through an agent leaves every other byte as it was", { timeout: 120_000 }, async () => {
  const { bench, file } = benchOf();
  let sealed = 0;
  await fc.assert(
    fc.asyncProperty(files, letters(0, 12), async (text, change) => {
      writeFileSync(file, text);
      const { content, hash, truncated } = (await bench.give("fs.read", { path: "file.txt" })) as {
        content: string;
        hash: string;
        truncated: boolean;
      };
      expect(truncated).toBe(false);
      sealed += content.includes("[SEALED:") ? 1 : 0;
      const isThere = content.includes(place);
      const edited = isThere ? content.replaceAll(place, change) : `${content}${change}`;
      // What the model writes may itself be taken for a secret beside a handle; the call still gets it as it is.
      await bench.give("fs.write", { path: "file.txt", content: edited, expected_hash: hash, why: "a test" });
      const wanted = isThere ? text.replaceAll(place, change) : `${text}${change}`;
      expect(readFileSync(file, "utf8")).toBe(wanted);
    }),
    { numRuns: process.env["WRIT_CAMPAIGN"] ? 3_000 : 100 },
  );
  expect(sealed).toBeGreaterThan(20); // or the property said nothing about secrets
});

test("bytes that are no text are not shown, and not replaced", async () => {
  const { bench, file } = benchOf();
  for (const bytes of [
    Buffer.from([0x61, 0xff, 0xfe, 0x0a]),
    Buffer.concat([Buffer.from("password: hunter2hunter\n"), Buffer.from([0xc3, 0x28])]),
    Buffer.from("a\u0000b"),
    Buffer.from([0xed, 0xa0, 0x80]),
  ]) {
    writeFileSync(file, bytes);
    const read = await bench.give("fs.read", { path: "file.txt" });
    expect(read).toMatchObject({ binary: true, content: "", hash: sha256(bytes) });
    const written = await bench.use("fs.write", {
      path: "file.txt",
      content: "edited",
      expected_hash: sha256(bytes),
      why: "a test",
    });
    expect(written).toMatchObject({ isError: true, error: { code: "TOOL_ERROR" } });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  }
});

test("fs.edit takes a handle of the file and shows one in its difference, which opens for that file again", async () => {
  const { bench, file } = benchOf();
  const url = (port: number) => `url: postgres://app:Tr0ub4dor-9@db:${port}/app\n`;
  writeFileSync(file, `a: 1\n${url(1)}`);
  const { content } = (await bench.give("fs.read", { path: "file.txt" })) as { content: string };
  const line = content.split("\n")[1] ?? "";
  expect(line).toContain("[SEALED:connection-string:");
  const edit = (old: string, next: string) =>
    bench.give("fs.edit", { path: "file.txt", edits: [{ old, new: next }], why: "a test" });
  const { diff } = (await edit(line, line.replace(":1/", ":2/"))) as { diff: string };
  expect(readFileSync(file, "utf8")).toBe(`a: 1\n${url(2)}`);
  expect(diff).not.toContain("Tr0ub4dor-9");
  const shown =
    diff
      .split("\n")
      .find((each) => each.startsWith("+url"))
      ?.slice(1) ?? "";
  await edit(shown, shown.replace(":2/", ":3/"));
  expect(readFileSync(file, "utf8")).toBe(`a: 1\n${url(3)}`);
});
