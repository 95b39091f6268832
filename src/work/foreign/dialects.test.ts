import { expect, test } from "vitest";
import { ok } from "#core/values";
import { chatStream, messagesStream, type Script } from "../../../test/support/model-server.ts";
import { chat } from "./chat/chat.ts";
import type { AnswerTerms, CallVerdict, Dialect } from "./dialect.ts";
import { messages } from "./messages/messages.ts";
import { EventSplitter } from "./server-events.ts";

const call = { id: "call_1", name: "write_file", args: { path: "a.txt", text: 'sa"y {"x": [1]} – ü\n' } };
const other = { id: "call_2", name: "read_file", args: { path: "b.txt" } };

const cases = [
  ["messages", messages, messagesStream],
  ["chat", chat, chatStream],
] as const;

const allow: AnswerTerms["judge"] = async () => ok({ isAllowed: true });
const refuse: AnswerTerms["judge"] = async ({ name }) =>
  ok<CallVerdict>(
    name === "write_file" ? { isAllowed: false, code: "TOOL_NOT_ALLOWED", reason: "not granted" } : { isAllowed: true },
  );

/** Reads a stream in the given pieces; what the program gets before the end is recorded, and all of it. */
async function read(dialect: Dialect, pieces: readonly Uint8Array[], judge = allow) {
  const stream = dialect.readStream({ judge, isHostedAllowed: () => false, hidesUsage: false });
  const splitter = new EventSplitter();
  const out: Uint8Array[] = [];
  let judged = 0;
  const take = async (events: ReturnType<EventSplitter["push"]>) => {
    for (const each of events) {
      const passed = await stream.push(each);
      if (!passed.ok) return passed.error;
      out.push(...passed.value);
      judged += 1;
    }
    return undefined;
  };
  for (const piece of pieces) {
    const failed = await take(splitter.push(piece));
    if (failed) return { failed, text: textOf(out), stream, judged };
  }
  const failed = await take(splitter.end());
  return { failed, text: textOf([...out, ...stream.tail]), early: textOf(out), stream, judged };
}

const textOf = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString("utf8");

test.each(cases)("%s: a stream cut anywhere gives the same bytes and the same facts", async (_, dialect, write) => {
  const bytes = Buffer.from(write({ text: "Grüße, Ada 🌍", calls: [call, other] }));
  const whole = await read(dialect, [bytes]);
  expect(whole.text).toBe(bytes.toString("utf8"));
  expect(whole.stream).toMatchObject({
    isWhole: true,
    facts: { text: "Grüße, Ada 🌍", calls: [call, other].map(({ id, args }) => ({ id, args })) },
  });
  for (let at = 1; at < bytes.length; at++) {
    const cut = await read(dialect, [bytes.subarray(0, at), bytes.subarray(at)]);
    expect(cut.text === whole.text && cut.judged === whole.judged, `cut at ${at}`).toBe(true);
    expect({ ...cut.stream.facts }, `cut at ${at}`).toEqual({ ...whole.stream.facts });
  }
  const single = await read(
    dialect,
    Array.from(bytes, (byte) => Uint8Array.of(byte)),
  );
  expect(single.text).toBe(whole.text);
});

test.each(cases)("%s: a stream with other line ends is the same stream", async (_, dialect, write) => {
  const text = write({ text: "hello", calls: [call] })
    .replaceAll("\n\n", "\r\n\r\n")
    .replaceAll("\ndata", "\r\ndata");
  const bytes = Buffer.from(text);
  for (let at = 1; at < bytes.length; at += 3)
    expect((await read(dialect, [bytes.subarray(0, at), bytes.subarray(at)])).text).toBe(text);
});

test.each(cases)("%s: a refused call is never seen, and the answer says why", async (name, dialect, write) => {
  const run = (script: Script) => read(dialect, [Buffer.from(write(script))], refuse);
  const alone = await run({ text: "I will.", calls: [call] });
  expect(alone.text).not.toContain("a.txt");
  expect(alone.text).toContain("Writ refused write_file: TOOL_NOT_ALLOWED, not granted");
  expect(alone.text).not.toMatch(/"(?:stop|finish)_reason":"tool_(?:use|calls)"/);
  expect(alone.stream.facts).toMatchObject({ calls: [], finish: { reason: "stop" } });
  const both = await run({ calls: [call, other] });
  expect(both.text).not.toContain("a.txt");
  expect(both.text).toContain("b.txt");
  expect(both.text).toContain(name === "messages" ? '"stop_reason":"tool_use"' : '"finish_reason":"tool_calls"');
  // What is left is an answer of the same dialect.
  const again = await read(dialect, [Buffer.from(both.text)]);
  expect(again.stream).toMatchObject({ isWhole: true, facts: { calls: [{ id: "call_2", args: other.args }] } });
});

test.each(cases)(
  "%s: no byte of a call goes on before it was judged, nor the end before it is recorded",
  async (_, dialect, write) => {
    let isJudged = false;
    const judge: AnswerTerms["judge"] = async () => {
      isJudged = true;
      return ok({ isAllowed: true });
    };
    const stream = dialect.readStream({ judge, isHostedAllowed: () => false, hidesUsage: false });
    let seen = "";
    for (const each of new EventSplitter().push(Buffer.from(write({ text: "hello", calls: [call] })))) {
      const passed = await stream.push(each);
      if (passed.ok) seen += textOf(passed.value);
      if (!isJudged) expect(seen).not.toContain("write_file");
    }
    expect(seen).toContain("write_file");
    expect(seen).not.toMatch(/message_stop|\[DONE\]|"stop_reason"|"finish_reason":"/);
  },
);

test.each(cases)("%s: arguments that a hook wrote stand in the place of the model's", async (_, dialect, write) => {
  const rewrite: AnswerTerms["judge"] = async () => ok({ isAllowed: true, args: { path: "other.txt" } });
  const done = await read(dialect, [Buffer.from(write({ calls: [call] }))], rewrite);
  expect(done.text).not.toContain("a.txt");
  const again = await read(dialect, [Buffer.from(done.text)]);
  expect(again.stream.facts.calls).toMatchObject([{ id: "call_1", args: { path: "other.txt" } }]);
});

test.each(cases)(
  "%s: a stream that breaks off anywhere is no answer, and gives no part of a call",
  async (_, dialect, write) => {
    const bytes = Buffer.from(write({ text: "hello", calls: [call] }));
    for (let at = 1; at < bytes.length - 4; at += 5) {
      const cut = await read(dialect, [bytes.subarray(0, at)]);
      expect(cut.stream.isWhole && cut.failed === undefined, `cut at ${at}`).toBe(false);
      if (cut.stream.facts.calls.length === 0) expect(cut.early ?? cut.text).not.toContain("write_file");
    }
  },
);

test.each([
  ["a tool of the vendor", { type: "server_tool_use", id: "s", name: "web_search", input: {} }],
  ["a block of a type that is not known", { type: "summon", id: "s", name: "demon" }],
])("messages: %s is refused where the order does not name it", async (_, block) => {
  const stream = messagesStream({ text: "x" }).replace('{"type":"text","text":""}', JSON.stringify(block));
  const done = await read(messages, [Buffer.from(stream)]);
  expect(done.text).toContain("Writ refused");
  expect(done.text).not.toContain(block.type);
});

test.each([
  ["a second answer", (text: string) => text.replace('"index":0,"delta":{"content"', '"index":1,"delta":{"content"')],
  [
    "a function in the older form",
    (text: string) => text.replace('"delta":{"content":"hello"', '"delta":{"function_call":{"name":"x"}'),
  ],
  ["junk", (text: string) => text.replace('data: {"id"', 'data: {"id')],
])("chat: %s ends the answer", async (_, spoil) => {
  const done = await read(chat, [Buffer.from(spoil(chatStream({ text: "hello" })))]);
  expect(done.failed).toMatchObject({ code: "PROVIDER_ERROR" });
});

test("an answer in one piece is the same bytes, or says what was refused", async () => {
  const terms = { judge: refuse, isHostedAllowed: () => false, hidesUsage: false };
  const given = {
    messages: `{ "id":"m", "model":"claude-test","content":[{"type":"text","text":"A"},{"type":"tool_use","id":"1","name":"read_file","input":{"n":1.0}} ],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`,
    chat: `{ "model":"gpt-test","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"read_file","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`,
  };
  for (const [name, dialect] of cases) {
    const same = await dialect.readWhole(given[name], terms);
    expect(same).toMatchObject({
      ok: true,
      value: { text: given[name], facts: { usage: { input_tokens: 3, output_tokens: 4 } } },
    });
    const changed = await dialect.readWhole(given[name].replace("read_file", "write_file"), terms);
    const text = changed.ok ? changed.value.text : "";
    expect(JSON.stringify(JSON.parse(text))).not.toMatch(/tool_(?:use|calls)/);
    expect(text).toContain("Writ refused write_file");
  }
});
