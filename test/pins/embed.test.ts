// The package as programs import it: its values, and every exported name with its declaration.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as embedded from "../../src/embed/index.ts";
import { apiReport } from "./api-report.ts";
import { pinned } from "./pinned.ts";

test("the values that a program gets", () => {
  expect(Object.keys(embedded).toSorted()).toEqual([
    "WritError",
    "defineApp",
    "defineHook",
    "defineProvider",
    "defineStrategy",
    "defineTool",
    "defineWorker",
    "initWorkspace",
    "isSessionId",
    "openWorkspace",
    "unwrap",
  ]);
});

test("the declarations that a program gets are the recorded ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await pinned("embed.api.md", apiReport(folder));
});
