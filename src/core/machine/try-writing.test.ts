import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tryWriting } from "./try-writing.ts";

test("a folder that takes writes is left as it was; one that takes none says why", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-writable-"));
  try {
    expect(await tryWriting(folder)).toEqual({ ok: true, value: expect.any(Number) });
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(join(folder, "file"), "");
    for (const place of [join(folder, "gone"), join(folder, "file")])
      expect(await tryWriting(place)).toMatchObject({ ok: false, error: { code: "STORE_UNAVAILABLE" } });
    // Where there is no room at all, as the machine has it.
    if (existsSync("/dev/full")) {
      symlinkSync("/dev/full", join(folder, `.writable-${process.pid}`));
      expect(await tryWriting(folder)).toMatchObject({
        ok: false,
        error: { message: "the workspace takes no writes: the disk is full" },
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
