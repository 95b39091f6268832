import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { sha256 } from "#base";
import { builtinBench } from "../support/builtin-bench.ts";
import { workspaceWith } from "../support/workspace.ts";

const child = fileURLToPath(new URL("../support/write-child.ts", import.meta.url));

function runChild(...args: string[]): Promise<{ stdout: string; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, ["--conditions=writ-source", "--import", "tsx", child, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    running.stdout.on("data", (chunk) => (stdout += String(chunk)));
    running.on("error", reject);
    running.on("close", (_, signal) => resolve({ stdout, signal }));
  });
}

describe("kill -9 in the middle of a protected write", () => {
  test.each([
    ["fs.write: temporary file written", "old"],
    ["fs.write: about to commit", "old"],
    ["fs.write: committed", "new"],
  ])("at %j leaves the %s content whole, and the next write goes through", async (failpoint, left) => {
    const root = workspaceWith({ "docs/a.md": "old" });
    const { signal } = await runChild(root, "docs/a.md", "new", sha256("old"), failpoint);
    expect(signal).toBe("SIGKILL");
    expect(readFileSync(join(root, "docs/a.md"), "utf8")).toBe(left);

    const bench = builtinBench(root);
    const listed = (await bench.give("fs.list", {}))["entries"] as { path: string }[];
    expect(listed.map(({ path }) => path)).toEqual(["docs", "docs/a.md"]);
    const args = { path: "docs/a.md", content: "next", expected_hash: sha256(left), why: "a test" };
    const outcome = await bench.use("fs.write", args);
    // The dead writer's claim keeps others away for half a minute, unless it died before it took one.
    expect(outcome.error?.code).toBe(failpoint.endsWith("temporary file written") ? undefined : "WRITE_CONFLICT");
  });

  test.each([
    ["fs.write: temporary file written", false],
    ["fs.write: about to commit", false],
  ])("at %j of a new file leaves none", async (failpoint) => {
    const root = workspaceWith();
    const { signal } = await runChild(root, "a.md", "new", "", failpoint);
    expect(signal).toBe("SIGKILL");
    expect(readdirSync(root).filter((name) => !name.startsWith(".writ-"))).toEqual([]);
    expect(
      await builtinBench(root).give("fs.write", { path: "a.md", content: "next", expected_hash: "", why: "a test" }),
    ).toMatchObject({ created: true });
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
  expect(readdirSync(root)).toEqual(["a.md"]);
});
