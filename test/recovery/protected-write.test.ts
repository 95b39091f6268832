import { spawn } from "node:child_process";
import { readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createIds, ok, sha256, systemClock, systemRandom } from "#core/values";
import { recoverTurns } from "../../src/effects/turns/recover-turns.ts";
import { openTurnStore } from "../../src/effects/turns/turn-store.ts";
import { builtinBench } from "../support/builtin-bench.ts";
import { joined } from "../support/joined.ts";
import { workspaceWith } from "../support/workspace.ts";

const child = joined(fileURLToPath(new URL("../support/write-child.ts", import.meta.url)));

function runChild(...args: string[]): Promise<{ stdout: string; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [child, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    running.stdout.on("data", (chunk) => (stdout += String(chunk)));
    running.on("error", reject);
    running.on("close", (_, signal) => resolve({ stdout, signal }));
  });
}

/** What the next process to open the workspace does first; the child kept no log that could be asked. */
async function recover(root: string): Promise<string[]> {
  const ids = createIds(systemClock, systemRandom);
  const store = openTurnStore({ root, clock: systemClock, ids });
  const recovered = await recoverTurns({ root, store, takeSession: () => Promise.resolve(ok(undefined)) });
  store.close();
  if (!recovered.ok) throw new Error(recovered.error.message);
  return recovered.value.map(({ outcome }) => outcome);
}

describe("kill -9 in the middle of a protected write", () => {
  test.each([
    ["turn.before_start", "old"],
    ["turn.ran", "old"],
    ["turn.commit.staged", "old"],
    ["turn.commit.promised", "new"],
    ["turn.commit.step.0", "new"],
    ["turn.commit.recorded", "new"],
  ])(
    "at %j leaves the %s content whole after the next open, and the next write goes through",
    async (failpoint, left) => {
      const root = workspaceWith({ "docs/a.md": "old" });
      const { signal } = await runChild(root, "docs/a.md", "new", sha256("old"), failpoint);
      expect(signal).toBe("SIGKILL");
      expect(["old", left]).toContain(readFileSync(join(root, "docs/a.md"), "utf8"));

      expect(await recover(root)).toEqual([left === "new" ? "committed" : "nothing"]);
      expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe(left);
      expect(readdirSync(join(root, "docs"))).toEqual(["a.md"]);
      expect(readdirSync(join(root, "planes/hot/turns/running"))).toEqual([]);
      const args = { path: "docs/a.md", content: "next", expected_hash: sha256(left), why: "a test" };
      expect(await builtinBench(root).give("fs.write", args)).toMatchObject({ hash: sha256("next") });
    },
  );

  test("a promise that somebody made impossible is taken back by the next open", async () => {
    const root = workspaceWith({ "docs/a.md": "old" });
    await runChild(root, "docs/a.md", "new", sha256("old"), "turn.commit.promised");
    renameSync(join(root, "docs"), join(root, "moved"));
    symlinkSync(workspaceWith(), join(root, "docs"));
    expect(await recover(root)).toEqual(["aborted"]);
    expect(readFileSync(join(root, "moved/a.md"), "utf8")).toBe("old");
    expect(await recover(root)).toEqual([]);
  });
});

test("processes that write with the same expected hash: exactly one wins", async () => {
  const root = workspaceWith({ "a.md": "old" });
  const results = await Promise.all(
    Array.from({ length: 4 }, (_, index) => runChild(root, "a.md", `writer ${index}`, sha256("old"))),
  );
  const words = results.map(({ stdout }) => stdout);
  expect(words.filter((word) => word === "ok")).toHaveLength(1);
  expect(words.filter((word) => word === "WRITE_CONFLICT")).toHaveLength(3);
  expect(readFileSync(join(root, "a.md"), "utf8")).toBe(`writer ${words.indexOf("ok")}`);
  expect(readdirSync(root)).toEqual(["a.md", "planes"]);
});
