import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type ProcessRequest } from "../values/processes.ts";
import { systemClock } from "../values/system.ts";
import { nodeProcesses } from "./node-processes.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-processes-"));
afterAll(() => rmSync(folder, { recursive: true }));
const processes = nodeProcesses(systemClock);
const run = (command: ProcessRequest["command"], more: Partial<ProcessRequest> = {}) =>
  processes.run({
    command,
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "" },
    timeoutMs: 20_000,
    maxOutputBytes: 100_000,
    ...more,
  });
const sh = (script: string, more: Partial<ProcessRequest> = {}) => run(["sh", "-c", script], more);

/** Whether a process is there and not a zombie. */
function lives(pid: string): boolean {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return false;
  return !/\) Z /.test(readFileSync(stat, "utf8"));
}

test("a program's output, error output and exit code come back apart", async () => {
  expect(await sh("echo out; echo err >&2; exit 7")).toMatchObject({
    ok: true,
    value: { end: { kind: "exited", code: 7 }, stdout: "out\n", stderr: "err\n" },
  });
});

test("arguments pass without a shell in between", async () => {
  expect(await run(["printf", "%s|", "$HOME", "a b", "*"])).toMatchObject({ value: { stdout: "$HOME|a b|*|" } });
});

test("input is written, also to a program that does not read it", async () => {
  expect(await run(["cat"], { stdin: "grüße" })).toMatchObject({ value: { stdout: "grüße" } });
  expect(await run(["true"], { stdin: "x".repeat(1_000_000) })).toMatchObject({
    value: { end: { kind: "exited", code: 0 } },
  });
});

test("a program sees only the environment of its request", async () => {
  const outcome = await run(["/usr/bin/env"], { env: { ONLY: "this" } });
  expect(outcome).toMatchObject({ value: { stdout: "ONLY=this\n" } });
});

test("a program past its time is killed with everything it started", async () => {
  const outcome = await sh("sleep 300 & echo $!; wait", { timeoutMs: 300 });
  if (!outcome.ok) throw new Error(outcome.error.message);
  expect(outcome.value.end).toEqual({ kind: "timed_out" });
  const pid = outcome.value.stdout.trim();
  await expect.poll(() => lives(pid)).toBe(false); // a killed process closes its pipes a moment before it is gone
});

test("a child left behind in the background neither delays the answer nor survives", async () => {
  const outcome = await sh("sleep 300 & echo $!");
  if (!outcome.ok) throw new Error(outcome.error.message);
  expect(outcome.value.end).toEqual({ kind: "exited", code: 0 });
  const pid = outcome.value.stdout.trim();
  await expect.poll(() => lives(pid)).toBe(false); // a killed process closes its pipes a moment before it is gone
});

test("a program that prints more than is kept is killed, and what was kept is exactly the limit", async () => {
  const outcome = await run(["yes"], { maxOutputBytes: 1000 });
  expect(outcome).toMatchObject({ ok: true, value: { end: { kind: "flooded" } } });
  if (outcome.ok) expect(Buffer.byteLength(outcome.value.stdout)).toBe(1000);
  expect(await sh("yes >&2", { maxOutputBytes: 10 })).toMatchObject({
    value: { end: { kind: "flooded" }, stderr: "y\ny\ny\ny\ny\n" },
  });
});

test("an aborted signal kills the program, and one aborted before starts nothing", async () => {
  const controller = new AbortController();
  const running = sh("echo $$; exec sleep 300", { signal: controller.signal });
  controller.abort();
  expect(await running).toMatchObject({ value: { end: { kind: "canceled" } } });
  const marker = join(folder, "started");
  expect(await run(["touch", marker], { signal: controller.signal })).toMatchObject({
    value: { end: { kind: "canceled" } },
  });
  expect(existsSync(marker)).toBe(false);
});

test("a program killed by a signal says by which", async () => {
  expect(await sh("kill -TERM $$")).toMatchObject({ value: { end: { kind: "killed", signal: "SIGTERM" } } });
});

test("a missing program, a folder and a missing working folder are values, not exceptions", async () => {
  expect(await run(["no-such-program"])).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  expect(await run([folder])).toMatchObject({
    ok: false,
    error: { code: "NOT_FOUND", message: expect.stringContaining("not executable") },
  });
  expect(await run(["true"], { cwd: join(folder, "gone") })).toMatchObject({ ok: false });
  expect(await run(["a\0b"])).toMatchObject({ ok: false });
});
