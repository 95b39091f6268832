// A request through a real adapter, against servers on this machine that speak the vendors' wire formats.
import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { servedTime } from "../support/served-time.ts";
import { type FakeVendor, fakeVendor, type VendorName } from "../support/vendors/vendor-server.ts";

const key = "kx7-Tr0ub4dor-and-3-horses";
const quick = { attempts: 3, first_delay_ms: 1, max_delay_ms: 5 };
const payloads = (events: readonly { type: string; payload: unknown }[], type: string) =>
  events.filter((event) => event.type === type).map((event) => event.payload as Record<string, unknown>);

/** Every byte under a folder, the store and its write-ahead log included. */
function holds(folder: string, text: string): boolean {
  try {
    execFileSync("grep", ["-rqaF", "--", text, folder]);
    return true;
  } catch {
    return false;
  }
}

describe("a request to a real model", () => {
  let server: FakeVendor;
  beforeEach(async () => {
    server = await fakeVendor("openai-compatible");
  });
  afterEach(() => server[Symbol.asyncDispose]());
  const local = (changes: object = {}) => ({
    provider: "openai-compatible",
    base_url: server.baseUrl,
    model: "small-1",
    retries: quick,
    ...changes,
  });

  test.each(["anthropic", "openai", "google", "openai-compatible"] as const)(
    "is answered by %s, streamed to whoever watches, and recorded with provider and model",
    async (name: VendorName) => {
      await using vendor = await fakeVendor(name);
      vendor.will({ text: "Hello, Ada. It is a fine day." });
      await using workspace = await testWorkspace({
        config: { provider: name, base_url: vendor.baseUrl, model: "big-1" },
        env: {
          ANTHROPIC_API_KEY: "key-of-anthropic",
          OPENAI_API_KEY: "key-of-openai",
          GOOGLE_GENERATIVE_AI_API_KEY: "key-of-google",
        },
      });
      const heard: string[] = [];
      const result = await workspace.order({}, { onText: (_, delta) => void heard.push(delta) });
      expect(result).toMatchObject({ status: "success", response: "Hello, Ada. It is a fine day." });
      expect(heard.join("")).toBe("Hello, Ada. It is a fine day.");
      const events = await workspace.events(result.session_id);
      expect(payloads(events, "llm.request")).toMatchObject([{ provider: name, model: "big-1", profile: "default" }]);
      expect(payloads(events, "llm.response")).toMatchObject([
        { status: "ok", provider: name, model: "big-1", usage: { input_tokens: 20, output_tokens: 7 } },
      ]);
      expect(holds(workspace.root, "key-of-")).toBe(false);
    },
  );

  test("waits and asks again, and the log tells each failed try", async () => {
    server.will({ status: 429, headers: { "retry-after-ms": "3" } }, { status: 503 }, { text: "At last." });
    await using workspace = await testWorkspace({ config: local() });
    const result = await workspace.order();
    expect(result).toMatchObject({ status: "success", response: "At last." });
    const events = await workspace.events(result.session_id);
    expect(payloads(events, "llm.attempt")).toMatchObject([
      { attempt: 1, error: { code: "PROVIDER_ERROR", message: expect.stringContaining("429") } },
      { attempt: 2, error: { code: "PROVIDER_ERROR", message: expect.stringContaining("503") } },
    ]);
    expect(payloads(events, "llm.response")).toMatchObject([
      { attempts: 3, usage: { input_tokens: 20, output_tokens: 7 } },
    ]);
    expect(payloads(events, "llm.response")[0]?.["usage"]).not.toHaveProperty("estimated");
  });

  test("a half answer that was retried is settled at the reservation, marked as estimated", async () => {
    server.will({ half: { text: "Hello, Ada, and welcome." }, then: "reset" }, { text: "Hello, Ada." });
    await using workspace = await testWorkspace({ config: local() });
    const result = await workspace.order({}, { onText: () => undefined });
    expect(result).toMatchObject({ status: "success", response: "Hello, Ada." });
    const [response] = payloads(await workspace.events(result.session_id), "llm.response");
    expect(response).toMatchObject({ attempts: 2, usage: { estimated: true } });
  });

  test("that fails for good leaves a whole pair in the log and the vendor's words in the result", async () => {
    server.will({ status: 401, message: "Invalid key" });
    await using workspace = await testWorkspace({ config: local() });
    const result = await workspace.order();
    expect(result).toMatchObject({ status: "failure", error_code: "PROVIDER_ERROR" });
    expect(result.error).toContain("does not accept the key (401: Invalid key)");
    expect(server.requests).toHaveLength(1);
    const events = await workspace.events(result.session_id);
    expect(payloads(events, "llm.response")).toMatchObject([
      { status: "error", usage: { input_tokens: 0, output_tokens: 0 } },
    ]);
  });

  test("goes to the next profile when the first cannot be reached, announced and recorded", async () => {
    await using other = await fakeVendor("anthropic");
    server.will({ status: 500 });
    other.will({ text: "I stand in." });
    await using workspace = await testWorkspace({
      config: local({
        fallback: ["spare"],
        profiles: { spare: { provider: "anthropic", base_url: other.baseUrl, model: "spare-1" } },
      }),
      env: { ANTHROPIC_API_KEY: key },
    });
    const result = await workspace.order({ budget: { token_limit: 20_000, turn_limit: 2, timeout_seconds: 60 } });
    expect(result).toMatchObject({ status: "success", response: "I stand in." });
    expect(server.requests).toHaveLength(3);
    const events = await workspace.events(result.session_id);
    const [first, second] = payloads(events, "llm.request");
    expect(first).toMatchObject({ provider: "openai-compatible", model: "small-1" });
    expect(first).not.toHaveProperty("fallback_from");
    expect(second).toMatchObject({
      provider: "anthropic",
      model: "spare-1",
      fallback_from: { profile: "default", code: "PROVIDER_ERROR" },
      conversation_hash: first?.["conversation_hash"],
      new_messages: [],
    });
    expect(payloads(events, "llm.response")).toMatchObject([
      { status: "error", provider: "openai-compatible" },
      { status: "ok", provider: "anthropic" },
    ]);
    const sent = other.requests[0]?.body["messages"] as readonly unknown[];
    expect(sent).toHaveLength(1); // the question once, not once per try
  });

  test("goes down the whole chain of profiles, and past one whose circuit is open without asking it again", async () => {
    await using second = await fakeVendor("openai-compatible");
    await using third = await fakeVendor("openai-compatible");
    server.will({ status: 500 });
    second.will({ status: 503 });
    third.will({ text: "I am the last." });
    await using workspace = await testWorkspace({
      config: local({
        retries: { ...quick, attempts: 1 },
        circuit_breaker: { failure_threshold: 1, recovery_seconds: 600 },
        fallback: ["second", "third"],
        profiles: { second: { base_url: second.baseUrl }, third: { base_url: third.baseUrl } },
      }),
    });
    const budget = { token_limit: 50_000, turn_limit: 9, timeout_seconds: 60 };
    for (const asked of [1, 2]) {
      const result = await workspace.order({ budget });
      expect(result).toMatchObject({ status: "success", response: "I am the last." });
      expect([server, second, third].map(({ requests }) => requests.length)).toEqual([1, 1, asked]);
    }
  });

  test.each([
    ["a wrong key", { status: 401 }],
    ["a refused request", { status: 400 }],
  ])("%s is for a person to mend: no other vendor sees the prompt", async (_, behaviour) => {
    await using other = await fakeVendor("openai-compatible");
    server.will(behaviour);
    await using workspace = await testWorkspace({
      config: local({ fallback: ["spare"], profiles: { spare: { base_url: other.baseUrl } } }),
    });
    const result = await workspace.order({ budget: { token_limit: 20_000, turn_limit: 5, timeout_seconds: 60 } });
    expect(result.status).toBe("failure");
    expect(other.requests).toHaveLength(0);
  });

  test("each role has its own model where the profile says so", async () => {
    const say = (value: object) => ({ text: JSON.stringify({ ...value, schema_version: "v1" }) });
    server.will(
      say({ intent: "greet Ada", constraints: [], needs_advisor: false }),
      say({ steps: [{ id: "s1", description: "greet", depends_on: [] }], risks: [], needs_advisor: false }),
      { calls: [{ id: "call_1", name: "echo", input: '{"text":"Hello, Ada"}' }] },
      say({ output: "Hello, Ada", steps_completed: ["s1"] }),
      say({ verdict: "pass", feedback: "good" }),
    );
    await using workspace = await testWorkspace({
      config: local({ models: { planner: "big-1", reviewer: "strict-1" } }),
    });
    const result = await workspace.ask("greet Ada");
    expect(result).toMatchObject({ status: "success", response: "Hello, Ada" });
    expect(server.requests.map((request) => request.body["model"])).toEqual([
      "small-1",
      "big-1",
      "small-1",
      "small-1",
      "strict-1",
    ]);
    const events = await workspace.events(result.session_id);
    expect(payloads(events, "tool.invoke")).toMatchObject([{ call_id: "call_1", name: "echo" }]);
    expect(payloads(events, "llm.request").map(({ role, model }) => [role, model])).toContainEqual([
      "planner",
      "big-1",
    ]);
  });

  test("canceling ends it within a second, and the connection with it", async () => {
    server.will({ nothing: "silence" });
    await using workspace = await testWorkspace({ config: local() });
    const controller = new AbortController();
    const running = workspace.order({}, { signal: controller.signal });
    await server.seen(1);
    const served = servedTime();
    const canceled = Date.now();
    controller.abort();
    expect(await running).toMatchObject({ error_code: "CANCELED" });
    expect(served.between(canceled, Date.now())).toBeLessThan(1_000);
    served.stop();
    await expect.poll(() => server.open).toBe(0);
  });

  test("development mode asks nobody outside", async () => {
    await using workspace = await testWorkspace({ config: local({ fallback: ["default"] }) });
    const { runtime } = workspace;
    const result = await runtime.runFlow({ work_order: workOrder(), caller_id: "dev@local", dev_mode: true });
    expect(result.status).toBe("success");
    expect(server.requests).toHaveLength(0);
  });
});

describe("a secret", () => {
  test("of a file, a program or the environment reaches the server and no record, whatever the model says", async () => {
    await using server = await fakeVendor("openai-compatible");
    const inHeader = "blue-whale-under-the-bridge";
    const outside = `../writ-outside-${process.pid}`; // beside the workspace, as keys should lie
    const team = join(tmpdir(), `${outside}-team`.slice(3)); // a program sees what its rights name
    server.will(
      { status: 500, message: `you sent ${key}` },
      { text: `Your key is ${key}, your team is ${inHeader}, in base64 ${Buffer.from(key).toString("base64")}.` },
    );
    await using workspace = await testWorkspace({
      config: {
        provider: "openai-compatible",
        base_url: server.baseUrl,
        model: "small-1",
        api_key: "${secret:MODEL_KEY}",
        headers: { "x-team": "team ${secret:TEAM}" },
        retries: quick,
        record: "tapes/all.jsonl",
        secrets: { MODEL_KEY: { file: `${outside}-key` }, TEAM: { command: ["cat", team], rights: { read: [team] } } },
      },
      files: { [`${outside}-key`]: `${key}\n`, [`${outside}-team`]: inHeader },
    });
    try {
      const heard: string[] = [];
      const result = await workspace.order(
        { input: { prompt: `Is ${key} a good key?` } },
        { onText: (_, delta) => void heard.push(delta) },
      );
      expect(result, String(result.error)).toMatchObject({ status: "success" });
      expect(server.requests[1]?.headers["authorization"]).toBe(`Bearer ${key}`);
      expect(server.requests[1]?.headers["x-team"]).toBe(`team ${inHeader}`);
      expect(JSON.stringify(server.requests[1]?.body)).not.toContain(key);
      expect(heard.join("")).toContain("Your key is [REDACTED:secret], your team is [REDACTED:secret], in base64 [");
      expect(JSON.stringify(result)).not.toContain(key);
      expect(payloads(await workspace.events(result.session_id), "llm.attempt")).toHaveLength(1);
      for (const text of [key, inHeader, Buffer.from(key).toString("base64").slice(0, 30)])
        expect([text, holds(workspace.root, text)]).toEqual([text, false]);
      expect(holds(workspace.root, "[REDACTED:secret]")).toBe(true);
    } finally {
      for (const name of ["key", "team"]) await rm(join(workspace.root, `${outside}-${name}`));
    }
  });

  test("that is missing ends the request before anything is sent, and says where it was looked for", async () => {
    await using workspace = await testWorkspace({ config: { provider: "anthropic", model: "big-1" } });
    const result = await workspace.order();
    expect(result).toMatchObject({ error_code: "SECRET_NOT_FOUND" });
    expect(result.error).toContain("the environment variable ANTHROPIC_API_KEY is not set");
  });
});

describe("a cassette", () => {
  const config = (server: FakeVendor, changes: object) => ({
    profiles: {
      taped: { provider: "openai-compatible", base_url: server.baseUrl, model: "small-1", record: "tape.jsonl" },
      played: { provider: "openai-compatible", model: "small-1", replay: "tape.jsonl" },
    },
    ...changes,
  });
  const asked = (profile: string, prompt = "Say hello to Ada") => ({ profile, input: { prompt } });

  test("written from a real model plays back without network or key; another question is a clear miss", async () => {
    const server = await fakeVendor("openai-compatible");
    server.will({ text: "Hello from far away." });
    await using workspace = await testWorkspace({ config: config(server, {}) });
    expect(await workspace.order(asked("taped"))).toMatchObject({ response: "Hello from far away." });
    await server[Symbol.asyncDispose]();

    const heard: string[] = [];
    const played = await workspace.order(asked("played"), { onText: (_, delta) => void heard.push(delta) });
    expect(played).toMatchObject({ status: "success", response: "Hello from far away." });
    expect(heard.join("")).toBe("Hello from far away.");
    const events = await workspace.events(played.session_id);
    expect(payloads(events, "llm.request")).toMatchObject([{ provider: "replay:openai-compatible" }]);
    expect(payloads(events, "llm.response")).toMatchObject([{ usage: { input_tokens: 20, output_tokens: 7 } }]);

    const missed = await workspace.order(asked("played", "Say hello to Grace"));
    expect(missed).toMatchObject({ status: "failure", error_code: "PROVIDER_ERROR" });
    expect(missed.error).toContain("the cassette tape.jsonl holds no answer to call 1");
  });

  test.each([
    ["absent", undefined, "cannot be read"],
    ["torn", '{"request_hash":"', "tape.jsonl:1 is no entry of a cassette"],
  ])("that is %s is told before anything is asked", async (_, text, words) => {
    await using server = await fakeVendor("openai-compatible");
    await using workspace = await testWorkspace({
      config: config(server, {}),
      ...(text === undefined ? {} : { files: { "tape.jsonl": text } }),
    });
    const result = await workspace.order(asked("played"));
    expect(result.error).toContain(words);
    expect(server.requests).toHaveLength(0);
  });
});
