import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolders } from "./make-folders.ts";

test("makes what is missing on the way, and minds nothing that is there", async () => {
  const place = mkdtempSync(join(tmpdir(), "writ-folders-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  await makeFolders(join(place, "a/b/c"));
  await Promise.all([makeFolders(join(place, "a/b/d/e")), makeFolders(join(place, "a/b/d/e"))]);
  expect(existsSync(join(place, "a/b/c")) && existsSync(join(place, "a/b/d/e"))).toBe(true);
});

test.runIf(process.platform === "linux")(
  "gives up where a system makes no folders, instead of trying for ever",
  async () => {
    await expect(makeFolders("/proc/writ/below")).rejects.toMatchObject({ code: "ENOENT", path: "/proc/writ" });
  },
);
