// 100 requests at once in one process; secrets; Ctrl-C.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { isSessionId, type SessionId } from "#core/values";
import { bareEnvironment } from "../support/bare-environment.ts";
import { built } from "../support/built.ts";
import { heldBytes } from "../support/garbage.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { repository } from "../support/writ.ts";

beforeAll(built);

test("100 requests at once do not mix: each session holds its own name and no other, and verifies", async () => {
  await using workspace = await testWorkspace({
    // 500 calls: at the pace that a workspace begins with they would wait for most of a minute.
    config: {
      max_concurrent_flows: 100,
      rate_limits: { requests_per_minute: 60_000, tokens_per_minute: 1_000_000_000, burst: 1_000 },
    },
  });
  const names = Array.from({ length: 100 }, (_, index) => `Person${String(index).padStart(3, "0")}`);
  const before = heldBytes();
  const results = await Promise.all(names.map((name) => workspace.ask(`greet ${name}`)));
  for (const [index, result] of results.entries()) {
    const name = names[index];
    expect(result).toMatchObject({ status: "success", response: `Hello, ${name}` });
    const said = JSON.stringify(await workspace.events(result.session_id)).match(/Person\d{3}/g);
    expect(new Set(said)).toEqual(new Set([name]));
  }
  for (const { session_id } of results.slice(0, 10)) {
    if (session_id == null || !isSessionId(session_id)) throw new Error("no session");
    expect(await workspace.runtime.verifySession(session_id)).toMatchObject({ ok: true, violations: [] });
  }
  // What 100 finished requests leave behind is bounded: a megabyte each would be a leak of whole sessions.
  expect(heldBytes() - before).toBeLessThan(100 * 1024 * 1024);
});

test.each([
  "4111111111111111",
  "4111 1111 1111 1111",
  "4111-1111-1111-1111",
  "４１１１１１１１１１１１１１１１",
  "1234567812345678",
])("the card number %s is in no file afterwards", async (card) => {
  await using workspace = await testWorkspace();
  const result = await workspace.ask(`greet Ada, whose card is ${card}.`);
  expect(result.status).toBe("success");
  await workspace.runtime.close();
  for (const entry of await readdir(workspace.root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name), "utf8");
    expect(bytes.includes(card), join(entry.parentPath, entry.name)).toBe(false);
    expect(/4111[ -]?1111[ -]?1111[ -]?1111/.test(bytes)).toBe(false);
  }
  await workspace.reopen();
});

test("messages are stored once: the hundredth turn of a conversation adds as many bytes as the tenth", async () => {
  const turns = 120;
  await using workspace = await testWorkspace({
    rules: [
      { when: { call: turns + 1 }, respond: { text: "done" } },
      ...Array.from({ length: turns }, (_, turn) => ({
        when: { call: turn + 1 },
        respond: { tool_calls: [{ name: "echo", args: { text: `again and again: ${1000 + turn}` } }] },
      })),
    ],
    config: { max_output_tokens: 100, limits: { tool_calls_per_step: 1_000 } },
  });
  const budget = { token_limit: 10_000_000, turn_limit: turns + 1, timeout_seconds: 120 };
  const result = await workspace.order({ tool_permissions: ["echo"], budget });
  expect(result, result.error ?? "").toMatchObject({ status: "success", response: "done" });
  const bytes: number[] = [];
  for (const event of await workspace.events(result.session_id)) {
    if (event.type === "llm.request") bytes.push(0);
    if (bytes.length > 0) bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + JSON.stringify(event).length;
  }
  const average = (from: number, to: number) => bytes.slice(from, to).reduce((sum, each) => sum + each) / (to - from);
  expect(bytes).toHaveLength(turns + 1);
  expect(average(turns - 20, turns) / average(5, 15)).toBeLessThan(1.05);
});

test("a canceled request ends as canceled, with a closed session that says so", async () => {
  await using workspace = await testWorkspace({ rules: [{ respond: { text: "late", delay_ms: 60_000 } }] });
  const controller = new AbortController();
  const onEvent = (event: { readonly type: string }) => event.type === "llm.request" && controller.abort();
  const result = await workspace.ask("greet Ada", { signal: controller.signal, onEvent });
  expect(result.status).toBe("canceled");
  const events = await workspace.events(result.session_id);
  expect(events.at(-1)).toMatchObject({ type: "session.close", payload: { ok: false, status: "canceled" } });
});

test("Ctrl-C ends `writ run` with 130, and leaves no process and a session that is resumed where it was", async () => {
  const rules = [
    { when: { role: "solo", call: 1 }, respond: { tool_calls: [{ name: "fs.read", args: { path: "notes.md" } }] } },
    { when: { role: "solo", call: 2 }, respond: { text: "late", delay_ms: 600_000 } },
  ];
  await using workspace = await testWorkspace({ rules, files: { "notes.md": "a note" } });
  await workspace.runtime.close();
  const child = spawn(process.execPath, [`${repository}bin/writ.js`, "run", "what is in notes.md?"], {
    cwd: workspace.root,
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (text: Buffer) => {
      told += text.toString();
      if (told.includes("fs.read")) resolve();
    });
  });
  child.kill("SIGINT");
  const [status] = (await once(child, "close")) as [number];
  expect(status, told).toBe(130);
  expect(told).toContain("INTERRUPTED");
  expect(told).toContain("go on: writ session resume");
  await workspace.write("script.yaml", stringify({ rules: [rules[0], { respond: { text: "It is a note." } }] }));
  await workspace.reopen();
  const session_id = (/session (SES-\S+)/.exec(told)?.[1] ?? "") as SessionId;
  expect((await workspace.events(session_id)).some(({ type }) => type === "session.close")).toBe(false);
  const resumed = await workspace.runtime.resumeSession(session_id);
  expect(resumed).toMatchObject({ ok: true, value: { status: "success", response: "It is a note." } });
  const events = await workspace.events(session_id);
  // A read that was cut off is one call all the same, in a second attempt.
  expect(new Set(events.flatMap((event) => (event.type === "tool.invoke" ? [event.payload.call_id] : []))).size).toBe(
    1,
  );
  expect(events.at(-1)).toMatchObject({ type: "session.close", payload: { ok: true } });
  expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
});
