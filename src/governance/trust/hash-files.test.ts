import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesBelow, filesNamed } from "./hash-files.ts";
import { leadsTo } from "./writes-outside.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "writ-hash-"));
  chmodSync(root, 0o755);
  mkdirSync(join(root, "hooks/deep"), { recursive: true });
  writeFileSync(join(root, "hooks/deep/a.sh"), "a");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Root may look everywhere, so the test is another user for a moment. */
async function asUser<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test("what is there and cannot be looked at is an error that names it, and what is not there is nothing", async () => {
  symlinkSync("nowhere", join(root, "hooks/dangling"));
  symlinkSync("circle", join(root, "hooks/circle"));
  const all = await asUser(() => filesBelow(root, ["hooks", "none"]));
  expect(all.ok && Object.keys(all.value)).toEqual(["hooks/deep/a.sh"]);
  for (const [path, mode] of [
    ["hooks/deep", 0o000],
    ["hooks/deep", 0o444],
    ["hooks/deep/a.sh", 0o111],
  ] as const) {
    chmodSync(join(root, path), mode);
    const found = await asUser(() => filesBelow(root, ["hooks"]));
    expect(found).toMatchObject({ ok: false, error: { code: "MALFORMED_INPUT" } });
    expect(!found.ok && found.error.message).toContain("hooks/deep");
    expect(await asUser(() => filesNamed(["hooks/deep/a.sh"], { root }))).toMatchObject({ ok: false });
    chmodSync(join(root, path), 0o755);
  }
  expect(await filesNamed(["x".repeat(300), "hooks", "none"], { root })).toEqual({ ok: true, value: {} });
});

test("where a path leads is not known where a link on the way cannot be read", async () => {
  expect(await leadsTo(join(root, "hooks/new/file"))).toBe(join(root, "hooks/new/file"));
  chmodSync(join(root, "hooks"), 0o000);
  expect(await asUser(() => leadsTo(join(root, "hooks/new/file")))).toBeUndefined();
  chmodSync(join(root, "hooks"), 0o755);
});
