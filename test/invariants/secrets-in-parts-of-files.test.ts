// A tool that shows a part of a file shows no part of a secret, also where only the whole file gives it away; what it shows opens again.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { builtinBench } from "../support/builtin-bench.ts";
import { sealBench } from "../support/seal-bench.ts";

const body = [
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
  "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
  "NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ",
];
const pem = ["-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----"].map((line) => `  ${line}`).join("\n");
const webKey = `{
  "kty": "EC",
  "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e2aVjMzNTxHTtY",
  "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X6fZSzc2PWo"
}
`;
const named = `{
  "database": {
    "password":
      "Tr0ub4dor-9-horses"
  }
}
`;

function benchOf(content: string, name = "file.txt") {
  const root = mkdtempSync(join(tmpdir(), "writ-parts-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const file = join(root, name);
  const put = (text: string) => writeFileSync(file, text);
  put(content);
  const { seals, redactor } = sealBench();
  return { bench: builtinBench(root, { deps: { seals, redactor } }), file, put };
}

test.each([
  ["a key of several lines", `name: x\nkey: |\n${pem}\nend: 1\n`, body],
  ["a web key", webKey, ["jpsQnnGQmL-YBIffH1136cspYG6-0iY7X6fZSzc2PWo"]],
  ["a value below its name", named, ["Tr0ub4dor-9-horses"]],
])("%s: no range, match or passage shows a part of it", async (_, content, secrets) => {
  const { bench } = benchOf(content, "file.md");
  const shown: unknown[] = [];
  const total = content.split("\n").length - 1;
  for (let start_line = 1; start_line <= total; start_line++)
    for (const line_count of [1, 2, total])
      shown.push(await bench.give("fs.read", { path: "file.md", start_line, line_count }));
  for (const secret of secrets)
    shown.push(await bench.give("fs.search", { pattern: secret.slice(4, 14), literal: true }));
  shown.push(await bench.give("sources.search", { query: "name end key database" }));
  const text = JSON.stringify(shown);
  for (const secret of secrets)
    for (const part of [secret.slice(0, 8), secret.slice(-8)]) expect(text).not.toContain(part);
  expect(text).toContain("[SEALED:");
  expect(text).toContain(content.split("\n")[0]); // or nothing was shown at all
});

test("the difference of an edit beside a key shows none of it, however long the lines are", async () => {
  const { bench, put } = benchOf(`name: x\nkey: |\n${pem}\nend: 1\n`);
  const edit = async (old: string, next: string) =>
    JSON.stringify(await bench.give("fs.edit", { path: "file.txt", edits: [{ old, new: next }], why: "a test" }));
  const beside = await edit("end: 1", "end: 2");
  expect(beside).toContain("+end: 2");
  for (const line of body) expect(beside).not.toContain(line.slice(0, 8));
  // Cut somewhere within an address: it would have shown the beginning of its password.
  for (let pad = 8_060; pad < 8_100; pad += 4) {
    put("a\n");
    const cut = await edit("a", `${"x ".repeat(pad / 2)} postgres://app:Tr0ub4dor-9-horses@db:5432/app`);
    expect(cut).not.toContain("Tr0ub");
  }
});

test("a line that is cut ends before the password in it, not within", async () => {
  const { bench, put } = benchOf("");
  for (let pad = 470; pad < 500; pad += 3) {
    put(`${"x".repeat(pad)} postgres://app:Tr0ub4dor-9-horses@db:5432/app find me\n`);
    const found = JSON.stringify(await bench.give("fs.search", { pattern: "find me" }));
    expect(found).toContain("xxx");
    expect(found).not.toContain("Tr0ub");
  }
  put(`${"x".repeat(51_170)} postgres://app:Tr0ub4dor-9-horses@db:5432/app\n`);
  expect(JSON.stringify(await bench.give("fs.read", { path: "file.txt" }))).not.toContain("Tr0ub");
});

test("lines that were read as a part are edited by what was shown of them, and every other byte stays", async () => {
  const { bench, file, put } = benchOf("");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("a: 1", "", "\tb", pem, "url: postgres://app:Tr0ub4dor-9@db/x", "é"), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.nat(12),
      fc.integer({ min: 1, max: 5 }),
      async (lines, before, line_count) => {
        const text = `${lines.join("\n")}\n#mark\n`;
        put(text);
        const all = text.split("\n").length - 1;
        const read = { path: "file.txt", start_line: 1 + (before % all), line_count };
        const { content } = (await bench.give("fs.read", read)) as { content: string };
        if (content.trim() === "" || text.split(content).length > 2) return;
        const edits = [{ old: content, new: `+${content}` }];
        const wanted = text.split("\n");
        wanted[read.start_line - 1] = `+${wanted[read.start_line - 1]}`;
        const edited = await bench.use("fs.edit", { path: "file.txt", edits, why: "a test" });
        if (edited.isError)
          expect(edited.error?.message).toMatch(/stands there|places|times/); // shown twice in the file
        else expect(readFileSync(file, "utf8")).toBe(wanted.join("\n"));
      },
    ),
    { numRuns: 40 },
  );
});
