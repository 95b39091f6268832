// A program written for Vercel's AI SDK, with its real packages: one line is another, and its calls are those of an order.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type GovernedModel, languageModel, toolsOfAiSdk } from "../../src/embed/ai-sdk.ts";
import { defineHook, defineProvider, type OpenWorkspace, openWorkspace, unwrap } from "../../src/embed/index.ts";

async function open(more: Partial<OpenWorkspace> = {}) {
  const root = mkdtempSync(join(tmpdir(), "writ-ai-sdk-"));
  const writ = unwrap(await openWorkspace({ root, config: {}, providers: [weatherman], ...more }));
  onTestFinished(async () => {
    await writ.close();
    rmSync(root, { recursive: true, force: true });
  });
  return writ;
}

/** Asks the tool until it has an answer to each request, then says what it learnt. */
const weatherman = defineProvider({
  id: "weatherman",
  async complete({ messages, answer }, { text }) {
    const usage = { input_tokens: 1_000, output_tokens: 10 };
    if (answer) return { text: JSON.stringify({ sky: "blue" }), usage };
    const asked = messages.filter(({ role }) => role === "user").length;
    const results = messages.filter(({ role }) => role === "tool");
    if (results.length < asked)
      return { tool_calls: [{ id: `call-${messages.length}`, name: "weather", args: { town: "Oslo" } }], usage };
    const said = `It is ${results.at(-1)?.content}.`;
    for (const piece of said.match(/.{1,4}/gs) ?? []) text(piece);
    return { text: said, usage };
  },
});

const tools = {
  weather: tool({
    description: "The weather of a town.",
    inputSchema: z.object({ town: z.string() }),
    execute: async ({ town }) => `sunny in ${town}`,
  }),
};
const program = { tools, stopWhen: stepCountIs(5), maxRetries: 0 } as const;

async function eventsOf(writ: Awaited<ReturnType<typeof open>>, { session }: GovernedModel) {
  const events = [];
  if (session.session_id) for await (const event of writ.log.read(session.session_id)) events.push(unwrap(event));
  return events;
}

test("a program of the AI SDK runs as it is, and its calls are recorded, paid and proved", async () => {
  const writ = await open();
  const model = languageModel(writ, { order: { tokens: 50_000 } });
  const { text, steps } = await generateText({ ...program, model, prompt: "weather in Oslo?" });
  expect(text).toBe("It is sunny in Oslo.");
  expect(steps).toHaveLength(2);
  const result = await model.session.close();
  expect(result).toMatchObject({ status: "success", tokens_used: { input: 2_000, output: 20 } });
  const events = await eventsOf(writ, model);
  const requests = events.filter(({ type }) => type === "llm.request");
  // The second request records what is new: the answer is in the conversation already.
  expect(requests.map(({ payload }) => (payload as { new_messages: unknown[] }).new_messages.length)).toEqual([1, 1]);
  expect(await writ.verifySession(model.session.session_id as never)).toMatchObject({ ok: true });
});

test("text is streamed piece by piece, once", async () => {
  const writ = await open();
  const model = languageModel(writ);
  const pieces = [];
  for await (const piece of streamText({ ...program, model, prompt: "weather in Oslo?" }).textStream)
    pieces.push(piece);
  expect(pieces.join("")).toBe("It is sunny in Oslo.");
  expect(pieces.length).toBeGreaterThan(2);
  await model.session.close();
});

test("an answer in a form is asked for as one", async () => {
  const writ = await open();
  const model = languageModel(writ);
  const output = Output.object({ schema: z.object({ sky: z.string() }) });
  const answered = await generateText({ model, output, prompt: "what colour is the sky?", maxRetries: 0 });
  expect(answered.output).toEqual({ sky: "blue" });
  await model.session.close();
});

test("the budget of the order stops the program, and stays shut", async () => {
  const writ = await open();
  const model = languageModel(writ, { order: { tokens: 6_000 } });
  const ask = () => generateText({ ...program, model, prompt: "weather in Oslo?" });
  await expect(
    (async () => {
      for (let round = 0; round < 10; round++) await ask();
    })(),
  ).rejects.toThrow(/BUDGET_EXHAUSTED/);
  await expect(ask()).rejects.toThrow(/BUDGET_EXHAUSTED/);
  expect(await model.session.close()).toMatchObject({ error_code: "BUDGET_EXHAUSTED" });
});

test("a call that the order does not name, or a hook denies, never reaches the program's function, and both are on record", async () => {
  let called = 0;
  const counting = {
    weather: tool({
      inputSchema: jsonSchema<{ town: string }>({ type: "object", properties: { town: { type: "string" } } }),
      execute: () => `sunny ${(called += 1)}`,
    }),
  };
  const denying = defineHook({
    id: "no-weather",
    point: "PreToolUse",
    matcher: "weather",
    decide: () => ({ decision: "deny", reason: "not today" }),
  });
  for (const [how, hooks, code] of [
    [{ order: { tools: ["other"] } }, [], "TOOL_NOT_ALLOWED"],
    [{}, [denying], "GATE_DENIED"],
  ] as const) {
    const writ = await open({ hooks });
    const model = languageModel(writ, how);
    const { text } = await generateText({ ...program, tools: counting, model, prompt: "weather in Oslo?" });
    expect(text).toContain(`Writ refused weather: ${code}`);
    await model.session.close();
    const refused = (await eventsOf(writ, model)).filter(({ type }) => type === "tool.refused");
    expect(refused).toHaveLength(1);
    expect(await writ.verifySession(model.session.session_id as never)).toMatchObject({ ok: true });
  }
  expect(called).toBe(0);
});

test("what a hook makes of a call is what the program gets, where it fits the tool", async () => {
  for (const [output, expected] of [
    [{ town: "Bergen" }, "It is sunny in Bergen."],
    [{ town: 7 }, "Writ refused weather: SCHEMA_VIOLATION"],
    ["Bergen", "Writ refused weather: GATE_DENIED"],
  ] as const) {
    const rewriting = defineHook({
      id: "rewrites",
      point: "PreToolUse",
      matcher: "weather",
      decide: () => ({ decision: "transform", output }),
    });
    const writ = await open({ hooks: [rewriting] });
    const model = languageModel(writ);
    expect((await generateText({ ...program, model, prompt: "weather in Oslo?" })).text).toContain(expected);
    await model.session.close();
  }
});

const asking = defineHook({
  id: "asking",
  point: "PreToolUse",
  matcher: "weather",
  decide: () => ({ decision: "ask", reason: "weather is dear" }),
});

test("where the program waits, what a hook asks goes to the inbox, and the answer decides", async () => {
  for (const [choice, expected] of [
    ["approve", "It is sunny in Oslo."],
    ["deny", "Writ refused weather: GATE_DENIED, a person did not allow it: too dear"],
  ] as const) {
    const writ = await open({ hooks: [asking] });
    const model = languageModel(writ, { asksPeople: true });
    const answered = generateText({ ...program, model, prompt: "weather in Oslo?" });
    const questions = () => writ.inbox.list({ state: "open" }).then(unwrap);
    await expect.poll(async () => (await questions()).length).toBe(1);
    const [question] = await questions();
    expect(question).toMatchObject({ kind: "tool_call", subject: { tool: "weather", args: { town: "Oslo" } } });
    const { approval_id = "", subject_hash = "" } = question ?? {};
    const decision = { choice, subject_hash, reason: "too dear" };
    unwrap(await writ.decisions.decide(unwrap(writ.localCaller()), approval_id, decision));
    expect((await answered).text).toContain(expected);
    await model.session.close();
    const types = (await eventsOf(writ, model)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["approval.requested", "approval.decided"]));
    expect(await writ.verifySession(model.session.session_id as never)).toMatchObject({ ok: true });
  }
});

test("a question that is not answered while the order has time is a refusal, and so is one where the program does not wait", async () => {
  const writ = await open({ hooks: [asking] });
  const short = languageModel(writ, { asksPeople: true, order: { seconds: 1 } });
  // The order's time is over for the call that waits and for the session alike: the program sees whichever comes first.
  const late = generateText({ ...program, model: short, prompt: "weather in Oslo?" });
  const seen = await late.then(({ text }) => text).catch((thrown: Error) => thrown.message);
  expect(seen).toMatch(/GATE_DENIED, no answer came|the time limit of the flow ran out/);
  const closed = languageModel(writ);
  expect((await generateText({ ...program, model: closed, prompt: "weather in Oslo?" })).text).toContain("GATE_DENIED");
  await closed.session.close();
});

test("files of a message reach the model: pictures by their hash, texts among the words", async () => {
  const seen: unknown[] = [];
  const looking = defineProvider({
    id: "looking",
    async complete({ messages }) {
      seen.push(messages.at(-1));
      return { text: "seen", usage: { input_tokens: 10, output_tokens: 1 } };
    },
  });
  const writ = await open({ providers: [looking] });
  const model = languageModel(writ);
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const note = Buffer.from("the key is under the mat");
  const content = [
    { type: "text", text: "what is this?" },
    { type: "file", data: png, mediaType: "image/png", filename: "dot.png" },
    { type: "file", data: note, mediaType: "text/plain", filename: "note.txt" },
  ] as const;
  await generateText({ model, maxRetries: 0, messages: [{ role: "user", content: [...content] }] });
  expect(seen).toMatchObject([
    {
      content: "what is this?\n\nthe key is under the mat",
      parts: [{ type: "file", media_type: "image/png", name: "dot.png" }],
    },
  ]);
  const strange = [{ type: "file", data: Buffer.from([0, 1, 2]), mediaType: "application/x-unknown" }] as const;
  const refused = generateText({ model, maxRetries: 0, messages: [{ role: "user", content: [...strange] }] });
  await expect(refused).rejects.toThrow();
  await model.session.close();
  const [request] = (await eventsOf(writ, model)).filter(({ type }) => type === "llm.request");
  expect(JSON.stringify(request?.payload)).toContain("dot.png");
  expect(JSON.stringify(request?.payload)).not.toContain("iVBOR");
});

test("a secret in what the model asks for reaches the program's function, and no record", async () => {
  const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const leaking = defineProvider({
    id: "leaking",
    async complete({ messages }) {
      const usage = { input_tokens: 10, output_tokens: 10 };
      if (messages.some(({ role }) => role === "tool")) return { text: "done", usage };
      return { tool_calls: [{ id: "c", name: "weather", args: { town: token } }], usage };
    },
  });
  const writ = await open({ providers: [leaking] });
  const towns: string[] = [];
  const model = languageModel(writ);
  const keeping = {
    weather: tool({ inputSchema: z.object({ town: z.string() }), execute: ({ town }) => void towns.push(town) }),
  };
  await generateText({ ...program, tools: keeping, model, prompt: "go" });
  await model.session.close();
  expect(towns).toEqual([token]);
  expect(JSON.stringify(await eventsOf(writ, model))).not.toContain(token);
});

test("a session that no call was made in leaves no record, and one that is closed takes no more", async () => {
  const writ = await open();
  const model = languageModel(writ);
  expect(await model.session.close()).toMatchObject({ error_code: "SESSION_CLOSED", session_id: null });
  const used = languageModel(writ);
  await generateText({ ...program, model: used, prompt: "weather in Oslo?" });
  await used.session.close();
  await expect(generateText({ ...program, model: used, prompt: "again" })).rejects.toThrow(/SESSION_CLOSED/);
});

test("a session whose program went away is ended by whoever resumes it, and says so", async () => {
  const writ = await open();
  const model = languageModel(writ);
  await generateText({ ...program, model, prompt: "weather in Oslo?" });
  const { session_id } = model.session;
  await writ.close();
  await expect(generateText({ ...program, model, prompt: "weather in Oslo?" })).rejects.toThrow(
    /LEDGER_UNAVAILABLE: the log was shut down/,
  );
  const again = unwrap(await openWorkspace(writ.root, { providers: [weatherman] }));
  onTestFinished(async () => void (await again.close()));
  const resumed = await again.resumeSession(session_id as never);
  expect(resumed.ok ? resumed.value.error_code : resumed.error.code).toBe("INTERRUPTED");
  expect(await again.verifySession(session_id as never)).toMatchObject({ ok: true });
});

test("several calls at once are answered each with its own", async () => {
  const writ = await open();
  const model = languageModel(writ);
  const towns = ["Oslo", "Bergen", "Narvik"];
  const answers = await Promise.all(
    towns.map(() => generateText({ ...program, model, prompt: "weather in Oslo?" }).then(({ text }) => text)),
  );
  expect(answers).toEqual(towns.map(() => "It is sunny in Oslo."));
  expect(await model.session.close()).toMatchObject({ status: "success" });
});

test("tools of the AI SDK are tools of Writ", async () => {
  const writ = await open({ tools: toolsOfAiSdk(tools, { weather: "read" }) });
  const sent = writ.thread({ order: { tools: ["weather"] } }).send("weather in Oslo?");
  expect(await sent.result).toMatchObject({
    status: "success",
    response: 'It is {"result":"sunny in Oslo","trust":"untrusted"}.',
  });
});
