import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "#core/values";
import { builtinBench } from "../../../../test/support/builtin-bench.ts";
import { workspaceWith } from "../../../../test/support/workspace.ts";
import { selectLines } from "./fs-read.ts";

describe("fs.read", () => {
  test("gives a file's content and the hash that a write has to name", async () => {
    const root = workspaceWith({ "docs/a.md": "one\ntwo\nthree\n" });
    expect(await builtinBench(root).give("fs.read", { path: "docs/a.md" })).toEqual({
      path: "docs/a.md",
      content: "one\ntwo\nthree\n",
      hash: sha256("one\ntwo\nthree\n"),
      bytes: 14,
      binary: false,
      start_line: 1,
      line_count: 3,
      total_lines: 3,
      truncated: false,
    });
  });

  test("gives some lines, with the hash of the whole file", async () => {
    const root = workspaceWith({ "a.md": "one\ntwo\nthree" });
    const bench = builtinBench(root);
    const hash = sha256("one\ntwo\nthree");
    expect(await bench.give("fs.read", { path: "a.md", start_line: 2, line_count: 1 })).toMatchObject({
      content: "two\n",
      line_count: 1,
      truncated: true,
      hash,
    });
    expect(await bench.give("fs.read", { path: "a.md", start_line: 3 })).toMatchObject({
      content: "three",
      truncated: false,
    });
    expect(await bench.give("fs.read", { path: "a.md", start_line: 9 })).toMatchObject({
      content: "",
      line_count: 0,
      total_lines: 3,
    });
  });

  test("lines put together again are the file", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{0,4}$/)),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        (lines, ended, step) => {
          const text = lines.join("\n") + (ended ? "\n" : "");
          let read = "";
          for (let at = 1; ; at += step) {
            const part = selectLines(text, at, step);
            read += part.content;
            if (!part.truncated) break;
          }
          expect(read).toBe(text);
        },
      ),
    );
  });

  test("a long file is cut at a line, and says so; a line that fits nowhere is shown in part", async () => {
    const root = workspaceWith({ "long.txt": "0123456789\n".repeat(50_000), "line.txt": "x".repeat(500_000) });
    const bench = builtinBench(root);
    const long = await bench.give("fs.read", { path: "long.txt" });
    expect(long).toMatchObject({ truncated: true, total_lines: 50_000 });
    expect((long["content"] as string).endsWith("9\n")).toBe(true);
    const line = await bench.give("fs.read", { path: "line.txt" });
    expect(line).toMatchObject({ truncated: true, line_count: 1 });
  });

  test("what is no text is said to be binary and not shown", async () => {
    const root = workspaceWith({
      "nul.bin": new Uint8Array([1, 0, 2]),
      "latin.txt": new Uint8Array([0x66, 0xfc, 0x72]),
    });
    const bench = builtinBench(root);
    for (const path of ["nul.bin", "latin.txt"])
      expect(await bench.give("fs.read", { path })).toMatchObject({ binary: true, content: "", bytes: 3 });
  });

  test.each([
    ["a missing file", "missing.md", "NOT_FOUND"],
    ["a folder", "docs", "TOOL_ERROR"],
    ["the workspace", ".", "TOOL_ERROR"],
    ["a way out", "../x", "CAPABILITY_VIOLATION"],
    ["a way out in the middle", "docs/../../x", "CAPABILITY_VIOLATION"],
    ["an absolute path", "/etc/passwd", "CAPABILITY_VIOLATION"],
    ["a NUL", "docs\u0000/a.md", "CAPABILITY_VIOLATION"],
    ["a key", "keys/anchor.key", "CAPABILITY_VIOLATION"],
    ["secrets", ".env", "CAPABILITY_VIOLATION"],
    ["another session's words", "planes/ho1/sessions/x/.events.jsonl", "CAPABILITY_VIOLATION"],
    ["a file as a folder", "docs/a.md/b", "NOT_FOUND"],
  ])("refuses %s", async (_, path, code) => {
    const root = workspaceWith({ "docs/a.md": "x", ".env": "TOKEN=1", "keys/anchor.key": "k" });
    expect((await builtinBench(root).use("fs.read", { path })).error?.code).toBe(code);
  });

  test("follows no link, in no part of the path", async () => {
    const outside = workspaceWith({ "secret.txt": "s3cret" });
    const root = workspaceWith({ "docs/deep/a.md": "x" });
    symlinkSync(join(outside, "secret.txt"), join(root, "docs/link.md"));
    symlinkSync(outside, join(root, "docs/linked"));
    symlinkSync(join(root, "docs/deep"), join(root, "inside"));
    const bench = builtinBench(root);
    for (const path of ["docs/link.md", "docs/linked/secret.txt", "inside/a.md"])
      expect((await bench.use("fs.read", { path })).error?.code).toBe("CAPABILITY_VIOLATION");
    expect(JSON.stringify(bench.recorder.events)).not.toContain("s3cret");
  });

  test("does not wait at a named pipe, and reads no device", async () => {
    const root = workspaceWith({ "a.md": "x" });
    spawnSync("mkfifo", [join(root, "pipe")]);
    expect((await builtinBench(root).use("fs.read", { path: "pipe" })).error?.code).toBe("CAPABILITY_VIOLATION");
  });

  test("a folder swapped for a link while it is read gives the file inside or a refusal, never one outside", async () => {
    const outside = workspaceWith({ "a.md": "outside" });
    const root = workspaceWith({ "real/a.md": "inside" });
    const bench = builtinBench(root);
    mkdirSync(join(root, "docs"));
    writeFileSync(join(root, "docs/a.md"), "inside");
    const swapper = { going: true };
    const swapping = (async () => {
      while (swapper.going) {
        rmSync(join(root, "docs"), { recursive: true });
        symlinkSync(outside, join(root, "docs"));
        await new Promise((resolve) => setImmediate(resolve));
        rmSync(join(root, "docs"));
        mkdirSync(join(root, "docs"));
        writeFileSync(join(root, "docs/a.md"), "inside");
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const seen = new Set<unknown>();
    for (let index = 0; index < 300; index++) {
      const outcome = await bench.use("fs.read", { path: "docs/a.md" });
      seen.add(outcome.isError ? "refused" : (outcome.content as { content: string }).content);
    }
    swapper.going = false;
    await swapping;
    expect(seen).not.toContain("outside");
  });
});
