import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Result } from "#core/values";
import { initWorkspace } from "#operate";

const maker = fileURLToPath(new URL("./make-sessions.ts", import.meta.url));
const crasher = fileURLToPath(new URL("./crash-sessions.ts", import.meta.url));
const longMaker = fileURLToPath(new URL("./make-long-session.ts", import.meta.url));
/** One process for all of them keeps more in memory than it needs. */
const perProcess = 2_500;

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export function orderOf(number: number): Record<string, unknown> {
  return {
    work_order_id: `WO-20261115-${String(number + 1).padStart(6, "0")}`,
    type: "answer",
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    scope: { allowed_files: [] },
    acceptance: { tests: [], checks: [] },
    input: { prompt: "made by the bench" },
    budget: { token_limit: 100_000, turn_limit: 10, timeout_seconds: 600 },
  };
}

/** A workspace as `writ init` makes it, with limits out of the way and the scripted model. */
export async function newWorkspace(): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "writ-history-"));
  must(await initWorkspace(root));
  const rate_limits = { requests_per_minute: 1e9, tokens_per_minute: 1e12, burst: 1e6, cooldown_seconds: 0 };
  // Made sessions are short; what `writ run` is asked in the bench goes the whole way.
  const rules = [{ when: { prompt: "made by the bench" }, respond: { text: "Hello, Ada" } }];
  writeFileSync(join(root, "script.yaml"), JSON.stringify({ rules }));
  const config = { version: 1, max_concurrent_flows: 1_000, script: "script.yaml", rate_limits };
  writeFileSync(join(root, "writ.yaml"), JSON.stringify(config));
  return root;
}

/** A new workspace with so many finished requests in it. */
export async function workspaceWith(sessions: number): Promise<string> {
  const root = await newWorkspace();
  for (let made = 0; made < sessions; made += perProcess) {
    const count = Math.min(perProcess, sessions - made);
    const args = ["--import=tsx", maker, root, String(count), String(made)];
    const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) throw new Error(`making sessions ended with ${status}`);
  }
  return root;
}

/** A new workspace whose only process was killed after so many requests. */
export async function killedWorkspace(sessions: number): Promise<string> {
  const root = await newWorkspace();
  const { signal } = spawnSync(process.execPath, ["--import=tsx", crasher, root, String(sessions)], {
    stdio: "ignore",
  });
  if (signal !== "SIGKILL") throw new Error(`the process that was to be killed ended with ${String(signal)}`);
  return root;
}

export async function copyOf(root: string): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), "writ-history-"));
  await cp(root, copy, { recursive: true });
  return copy;
}

/** A new workspace with one session of so many events; answers both. */
export async function workspaceWithLong(
  events: number,
): Promise<{ readonly root: string; readonly session_id: string }> {
  const root = await newWorkspace();
  const args = ["--import=tsx", longMaker, root, String(events)];
  const { status, stdout } = spawnSync(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  if (status !== 0) throw new Error(`making a session of ${events} events ended with ${status}`);
  return { root, session_id: stdout.toString() };
}
