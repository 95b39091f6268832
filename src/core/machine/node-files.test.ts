import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nodeFiles } from "./node-files.ts";

const folder = mkdtempSync(join(tmpdir(), "writ files é "));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

test("text is read as it was written, in any script", async () => {
  expect(await nodeFiles.readText(write("a ü 漢.txt", "grüße 漢字 👋\r\n"))).toEqual({
    ok: true,
    value: "grüße 漢字 👋\r\n",
  });
  expect(await nodeFiles.readText(write("empty", ""))).toEqual({ ok: true, value: "" });
});

test("an absent file is NOT_FOUND, also below something that is no folder", async () => {
  const file = write("plain", "x");
  for (const path of [join(folder, "absent"), join(file, "below")])
    expect(await nodeFiles.readText(path)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
});

test("bytes that are not UTF-8, a folder, a named pipe and a file above the limit are refused by name", async () => {
  const bytes = write("latin1", Uint8Array.from([0x67, 0xfc, 0x6e]));
  expect(await nodeFiles.readText(bytes)).toMatchObject({
    error: { code: "MALFORMED_INPUT", message: expect.stringContaining("UTF-8") },
  });
  expect(await nodeFiles.readText(folder)).toMatchObject({ error: { code: "MALFORMED_INPUT" } });
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(await nodeFiles.readText(pipe)).toMatchObject({
    error: { message: expect.stringContaining("no regular file: a pipe or a device") },
  });
  const large = write("large", "x".repeat(11));
  expect(await nodeFiles.readText(large, { maxBytes: 10 })).toMatchObject({
    error: { message: expect.stringContaining("larger than 10 bytes") },
  });
  expect(await nodeFiles.readText(write("exact", "x".repeat(10)), { maxBytes: 10 })).toMatchObject({ ok: true });
});

test("a list is sorted and says what each name is; an absent folder is empty", async () => {
  const sub = join(folder, "sub");
  mkdirSync(join(sub, "b"), { recursive: true });
  writeFileSync(join(sub, "c"), "");
  writeFileSync(join(sub, ".a"), "");
  symlinkSync("c", join(sub, "d"));
  expect(await nodeFiles.list(sub)).toEqual({
    ok: true,
    value: [
      { name: ".a", type: "file" },
      { name: "b", type: "folder" },
      { name: "c", type: "file" },
      { name: "d", type: "link" },
    ],
  });
  expect(await nodeFiles.list(join(folder, "nowhere"))).toEqual({ ok: true, value: [] });
});

test("stat returns type and size, reports a link as a link, and returns undefined for a missing file", async () => {
  const file = write("sized", "12345");
  symlinkSync(file, join(folder, "link"));
  expect(await nodeFiles.stat(file)).toMatchObject({ ok: true, value: { type: "file", size: 5 } });
  expect(await nodeFiles.stat(join(folder, "link"))).toMatchObject({ value: { type: "link" } });
  expect(await nodeFiles.stat(join(folder, "nothing"))).toEqual({ ok: true, value: undefined });
});
