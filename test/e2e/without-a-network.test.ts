// Replay, verify, diff and fork of a session that was recorded against a model and a tool behind sockets, in a network
// namespace of their own that has not even a loopback: whatever tried to connect would fail.

import { spawn, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CountingModel, countingModel } from "../support/counting-model.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";
import { repository } from "../support/writ.ts";

const namespace = ["--map-root-user", "--net"];
const canUnshare = spawnSync("unshare", [...namespace, "true"]).status === 0;

function alone(program: string, args: readonly string[]): Promise<{ status: number | null; out: string }> {
  const child = spawn("unshare", [...namespace, program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (text: Buffer) => (out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (out += text.toString()));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, out })));
}

describe.skipIf(!canUnshare)("without a network (skipped where `unshare --net` is not allowed)", () => {
  let model: CountingModel;
  let workspace: TestWorkspace;
  let session_id: string;
  let last: number;
  beforeAll(async () => {
    model = await countingModel((messages) =>
      messages.some(({ role }) => role === "tool")
        ? { text: "it said hello" }
        : { calls: [{ name: "echo", args: { text: "hello" } }] },
    );
    workspace = await testWorkspace({
      config: { provider: "openai-compatible", model: "m", base_url: model.baseUrl, max_output_tokens: 500 },
    });
    const result = await workspace.order({
      tool_permissions: ["echo"],
      budget: { token_limit: 20_000, turn_limit: 5, timeout_seconds: 60 },
    });
    expect(result, result.error ?? "").toMatchObject({ status: "success", response: "it said hello" });
    session_id = result.session_id ?? "";
    last = (await workspace.events(session_id)).length;
    await workspace.runtime.close();
    model.forget();
  });
  afterAll(async () => {
    await workspace?.reopen();
    await workspace?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
  });
  const writ = (...args: string[]) =>
    alone(process.execPath, [`${repository}bin/writ.js`, ...args, "--root", workspace.root]);

  test("nothing can be reached from there", async () => {
    const tried = await alone(process.execPath, ["-e", `fetch("${model.baseUrl}").catch((e) => process.exit(9))`]);
    expect(tried.status).toBe(9);
  });

  test("session replay needs no connection", async () => {
    const { status, out } = await writ("session", "replay", session_id);
    expect(status, out).toBe(0);
  });

  test("session fork takes every answer and every result from the record, and diff finds them the same", async () => {
    const { status, out } = await writ("session", "fork", session_id, "--at", String(last), "--json");
    expect(status, out).toBe(0);
    const fork = JSON.parse(out) as { status: string; response: string; session_id: string };
    expect(fork).toMatchObject({ status: "success", response: "it said hello" });
    expect(model.asked.size).toBe(0);
    const compared = await writ("session", "diff", session_id, fork.session_id);
    expect(compared.status, compared.out).toBe(0);
    await workspace.reopen();
    const events = await workspace.events(fork.session_id);
    await workspace.runtime.close();
    const invoked = events.filter((event) => event.type === "tool.invoke");
    expect(invoked.length).toBeLessThanOrEqual(1);
  });
});
