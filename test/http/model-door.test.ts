// Programs that only know the address of a model: a real server of Writ before a scripted model on loopback.

import { expect, test } from "vitest";
import { ended } from "../support/end-of-door.ts";
import { ask, asked, open, payloads, recorded, tools } from "../support/model-door.ts";
import { answers, breaksAfter, chatStream, hangsAfter, messagesStream, streams } from "../support/model-server.ts";

test("a program gets the vendor's bytes, and its calls are paid, permitted, recorded and proved", async () => {
  await using door = await open("anthropic");
  const call = { id: "toolu_1", name: "read_file", args: { path: "a.txt" } };
  const first = messagesStream({ text: "I look.", calls: [call], usage: { input: 1_000, output: 50 } });
  door.model.will(streams(first, 11), streams(messagesStream({ text: "It says hello." })));
  const answered = await ask(door);
  expect(answered.status).toBe(200);
  expect(answered.headers.get("request-id")).toBe("req_1");
  expect(await answered.text()).toBe(first);
  const [seen] = door.model.seen;
  expect(seen?.text).toBe(JSON.stringify(asked));
  expect(seen?.path).toBe("/v1/messages?beta=true");
  expect(seen?.headers).toMatchObject({ "x-api-key": "the-real-key", "anthropic-beta": "x-1" });
  expect(JSON.stringify(seen?.headers)).not.toContain(door.token);
  const next = [
    ...asked.messages,
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "a.txt" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "hello" }] },
  ];
  expect(await (await ask(door, { ...asked, messages: next })).text()).toContain("hello");
  const events = await ended(door);
  expect(payloads(events, "session.start")).toMatchObject([{ grade: "observed", token_id: door.token_id }]);
  expect(payloads(events, "llm.request")).toMatchObject([
    { dialect: "anthropic.messages", changes: [], new_messages: [{ role: "user", content: "hello" }] },
    // The second request records what is new: the answer is in the conversation already.
    { new_messages: [{ role: "tool", content: "hello", tool_call_id: "toolu_1" }], message_count: 3 },
  ]);
  expect(payloads(events, "llm.response")).toMatchObject([
    {
      status: "ok",
      text: "I look.",
      tool_calls: [{ id: "toolu_1" }],
      usage: { input_tokens: 1_000, output_tokens: 50, cost_usd: 0.0015 },
    },
    { status: "ok", text: "It says hello." },
  ]);
  // On disk in this order: the request before it is sent, the permit before the program sees the call.
  const order = events.map(({ type }) => type).filter((type) => /^llm\.re|^foreign/.test(type));
  expect(order).toEqual(["llm.request", "foreign.permit", "llm.response", "llm.request", "llm.response"]);
  expect(JSON.stringify(events)).not.toContain(door.token);
});

test("programs of OpenAI's dialect get a budget and a record by the same address", async () => {
  await using door = await open("openai-compatible");
  const call = { id: "call_1", name: "read_file", args: { path: "a.txt" } };
  const functions = tools.map(({ name, description, input_schema }) => ({
    type: "function",
    function: { name, description, parameters: input_schema },
  }));
  const body = { model: "test-model", stream: true, messages: asked.messages, tools: functions };
  const answer = chatStream({ text: "I look.", calls: [call] });
  door.model.will(streams(answer, 13));
  const authorization = { headers: { "content-type": "application/json", authorization: `Bearer ${door.token}` } };
  const answered = await ask(door, body, "/v1/chat/completions", authorization);
  // The report of usage was asked for by Writ, and is not the program's.
  expect(await answered.text()).toBe(answer.replace(/data: [^\n]*"choices":\[\][^\n]*\n\n/, ""));
  const [seen] = door.model.seen;
  expect(seen?.headers.authorization).toBe("Bearer the-real-key");
  expect(JSON.parse(seen?.text ?? "")).toEqual({ ...body, max_tokens: 4_096, stream_options: { include_usage: true } });
  expect(
    await (await ask(door, "", "/v1/models", { ...authorization, method: "GET", body: null })).json(),
  ).toMatchObject({ data: [{ id: "test-model" }] });
  const events = await ended(door);
  expect(payloads(events, "llm.response")).toMatchObject([
    { usage: { input_tokens: 100, output_tokens: 20, cost_usd: 0.0003 } },
  ]);
  expect(payloads(events, "llm.request")).toMatchObject([
    {
      dialect: "openai.chat",
      changes: [expect.stringContaining("max_tokens"), expect.stringContaining("stream_options")],
    },
  ]);
});

test("a call that the order does not name never reaches the program, nor one that a hook denies", async () => {
  const deny = `console.log(JSON.stringify({ decision: "deny", reason: "not on my watch" }));`;
  await using door = await open("anthropic", {
    asked: { tools: ["read_file"] },
    files: { "hooks/deny.mjs": deny },
    config: {
      hooks: { PreToolUse: [{ matcher: "read_file", hooks: [{ type: "command", command: "node hooks/deny.mjs" }] }] },
    },
  });
  const calls = [
    { id: "t1", name: "write_file", args: { path: "secret-path-1" } },
    { id: "t2", name: "read_file", args: { path: "secret-path-2" } },
    { id: "t3", name: "never_offered", args: { path: "secret-path-3" } },
  ];
  door.model.will(streams(messagesStream({ text: "now", calls }), 5));
  const text = await (await ask(door)).text();
  expect(text).not.toContain("secret-path");
  for (const said of ["write_file: TOOL_NOT_ALLOWED", "read_file: GATE_DENIED", "never_offered: TOOL_NOT_FOUND"])
    expect(text).toContain(`Writ refused ${said}`);
  expect(text).toContain('"stop_reason":"end_turn"');
  const events = await ended(door);
  expect(payloads(events, "tool.refused").map(({ call_id }) => call_id)).toEqual(["t1", "t2", "t3"]);
  expect(payloads(events, "foreign.permit")).toEqual([]);
});

test("tools that the vendor would run are taken out, and what it ran all the same is refused", async () => {
  await using door = await open("anthropic");
  const hosted = { type: "web_search_20250305", name: "web_search" };
  door.model.will(
    streams(
      messagesStream({ text: "x" }).replace(
        '{"type":"text","text":""}',
        '{"type":"server_tool_use","id":"s","name":"web_search","input":{}}',
      ),
    ),
  );
  const text = await (
    await ask(door, { ...asked, tools: [hosted, ...tools], metadata: { user_id: "device-7" } })
  ).text();
  expect(JSON.parse(door.model.seen[0]?.text ?? "")).toEqual(asked);
  expect(text).toContain("Writ refused web_search");
  expect(await (await ask(door, { ...asked, mcp_servers: [{ type: "url" }] })).json()).toMatchObject({
    error: { type: "permission_error" },
  });
  expect(door.model.seen).toHaveLength(1);
});

test("the budget lowers what is asked for, ends with 402, and stays shut", async () => {
  await using door = await open("anthropic", { asked: { usd: 0.05 } });
  door.model.will(
    streams(messagesStream({ text: "much", usage: { input: 1_000, output: 3_000 } })),
    streams(messagesStream({ text: "cut", finish: "max_tokens", usage: { input: 1_000, output: 1_500 } })),
  );
  expect((await ask(door, { ...asked, max_tokens: 128_000 })).status).toBe(200);
  const [first] = door.model.seen;
  const { max_tokens } = JSON.parse(first?.text ?? "") as { max_tokens: number };
  expect(max_tokens).toBeGreaterThan(4_000);
  expect(max_tokens * 10).toBeLessThanOrEqual(50_000);
  // An answer that the budget cut is no answer: the stream ends with the dialect's own error.
  const cut = await (await ask(door, { ...asked, max_tokens: 128_000 })).text();
  expect(cut).toContain("event: error");
  expect(cut).not.toContain('"stop_reason":"max_tokens"');
  for (const _ of [1, 2]) {
    const shut = await ask(door);
    expect(shut.status).toBe(402);
    expect(await shut.json()).toMatchObject({
      type: "error",
      error: { type: "billing_error", message: expect.stringContaining("BUDGET_EXHAUSTED") },
    });
  }
  expect(door.model.seen).toHaveLength(2);
  const events = await ended(door);
  const spent = payloads(events, "llm.response").reduce(
    (sum, { usage }) => sum + (usage as { cost_usd: number }).cost_usd,
    0,
  );
  expect(spent).toBeLessThanOrEqual(0.05);
  expect(payloads(events, "wo.failed")).toMatchObject([{ outcome: { status: "budget_exhausted" } }]);
});

test("a server that goes on past what was set aside is broken off", async () => {
  await using door = await open("anthropic");
  door.model.will(
    hangsAfter(messagesStream({ text: "on and on ".repeat(400) }).split("event: message_delta")[0] ?? ""),
  );
  const text = await (await ask(door, { ...asked, max_tokens: 100 })).text();
  expect(text).toContain("BUDGET_EXHAUSTED");
  expect(text.length).toBeLessThan(40_000);
  expect((await ask(door)).status).toBe(402);
  const [response] = payloads(await ended(door), "llm.response");
  expect(response).toMatchObject({ status: "error", usage: { estimated: true } });
});

test("a stream that breaks off ends with the dialect's error, and what came is paid for", async () => {
  await using door = await open("anthropic");
  const whole = messagesStream({ text: "hello there", calls: [{ id: "t1", name: "read_file", args: { path: "a" } }] });
  door.model.will(
    breaksAfter(whole.slice(0, whole.indexOf("input_json_delta"))),
    streams(messagesStream({ text: "again" })),
  );
  const text = await (await ask(door)).text();
  expect(text).toContain("hello t");
  expect(text).not.toContain("read_file");
  expect(text).toContain("event: error");
  expect(await (await ask(door)).text()).toContain("again");
  const [broken] = payloads(await ended(door), "llm.response");
  expect(broken).toMatchObject({
    status: "error",
    error: { code: "PROVIDER_ERROR" },
    usage: { input_tokens: 100, estimated: true },
  });
});

test("what the vendor refuses is the program's to read, but for what it says of the key", async () => {
  await using door = await open("anthropic");
  const busy = { type: "error", error: { type: "overloaded_error", message: "busy" } };
  door.model.will(
    answers(busy, 529),
    answers({ error: "bad key the-real-key" }, 401),
    answers({
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
      model: "m",
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  );
  const refused = await ask(door);
  expect([refused.status, await refused.json()]).toEqual([529, busy]);
  const unauthorized = await ask(door);
  expect(unauthorized.status).toBe(403);
  expect(await unauthorized.text()).not.toContain("the-real-key");
  expect(await (await ask(door, { ...asked, stream: false })).json()).toMatchObject({ content: [{ text: "hi" }] });
  expect(
    payloads(await ended(door), "llm.response").map(({ usage }) => (usage as { input_tokens: number }).input_tokens),
  ).toEqual([0, 0, 1]);
});

test("only a token opens the door, and a token opens nothing else", async () => {
  await using door = await open("anthropic");
  const { server, model } = door;
  const { runtime } = server.workspace;
  const by = runtime.localCaller();
  const key = by.ok ? await runtime.keys.create(by.value, { caller_id: runtime.caller }) : by;
  const strangers = ["", "sk-ant-something", `${door.token}x`, key.ok ? key.value.key : ""];
  for (const token of strangers) {
    const refused = await ask({ server, token });
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { type: "error", error: { type: "authentication_error" } },
    ]);
  }
  const two = await ask(door, asked, "/v1/messages", {
    headers: { "content-type": "application/json", "x-api-key": door.token, authorization: "Bearer another-one" },
  });
  expect(two.status).toBe(401);
  expect((await server.get("/api/v1/sessions", { authorization: `Bearer ${door.token}` })).status).toBe(403);
  expect((await ask(door, asked, "/v1/files")).status).toBe(404);
  expect((await ask(door, { ...asked, model: "another-model" })).status).toBe(403);
  expect((await ask(door, "{")).status).toBe(400);
  expect((await ask(door, asked, "/v1/chat/completions")).status).toBe(403);
  expect(model.seen).toEqual([]);
  model.will(streams(messagesStream({ text: "fine" })));
  expect((await ask(door)).status).toBe(200);
  if (by.ok) await runtime.keys.revoke(by.value, door.token_id, "lost");
  expect((await ask(door)).status).toBe(401);
  expect(model.seen).toHaveLength(1);
});

test("a halt ends the answer that is under way, and everything after it", async () => {
  await using door = await open("anthropic");
  const { runtime } = door.server.workspace;
  door.model.will(hangsAfter(messagesStream({ text: "one two three" }).split("event: content_block_stop")[0] ?? ""));
  const answered = await ask(door);
  const reader = answered.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? "";
  const [start] = await recorded(door.server);
  expect(await runtime.halt(start?.session_id as never, "stop")).toMatchObject({ ok: true });
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value;
  expect(text).toContain("event: error");
  const shut = await ask(door);
  expect([shut.status, ((await shut.json()) as { error: { message: string } }).error.message]).toMatchObject([
    403,
    expect.stringContaining("HALTED"),
  ]);
  expect(door.model.seen).toHaveLength(1);
});

test("many requests at once hold to one budget", async () => {
  await using door = await open("anthropic", { asked: { tokens: 20_000, usd: 5 } });
  door.model.will((seen, response) => {
    const { max_tokens } = JSON.parse(seen.text) as { readonly max_tokens: number };
    streams(messagesStream({ text: "x", usage: { input: 50, output: max_tokens } }))(seen, response);
  });
  const all = await Promise.all(
    Array.from({ length: 24 }, async () => {
      const answered = await ask(door, { ...asked, max_tokens: 1_500 });
      return [answered.status, await answered.text()] as const;
    }),
  );
  const good = all.filter(([status, text]) => status === 200 && !text.includes("event: error")).length;
  expect(good).toBeGreaterThan(5);
  expect(all.every(([status]) => status === 200 || status === 402)).toBe(true);
  const spent = payloads(await ended(door), "llm.response").map(({ usage }) => usage as Record<string, number>);
  // No answer is larger than what was set aside for it, so that all of them together are within the limit.
  const total = spent.reduce((sum, { input_tokens = 0, output_tokens = 0 }) => sum + input_tokens + output_tokens, 0);
  expect(total).toBeLessThanOrEqual(20_000);
});

test("secrets go through as they are, and into no record", async () => {
  await using door = await open("anthropic");
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const answer = messagesStream({
    text: `use ${secret}`,
    calls: [{ id: "t1", name: "read_file", args: { path: secret } }],
  });
  door.model.will(streams(answer));
  expect(await (await ask(door, { ...asked, messages: [{ role: "user", content: secret }] })).text()).toBe(answer);
  expect(door.model.seen[0]?.text).toContain(secret);
  expect(JSON.stringify(await ended(door))).not.toContain(secret);
});
