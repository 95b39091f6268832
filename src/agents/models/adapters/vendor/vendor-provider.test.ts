import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "#core/values";
import {
  type FakeVendor,
  fakeVendor,
  type VendorName,
  wireFormats,
} from "../../../../../test/support/vendors/vendor-server.ts";
import { manualClock } from "../../../../core/values/manual-clock.ts";
import type { CompletionRequest } from "../../completion.ts";
import { knownRefusals } from "../../facts/known-refusals.ts";
import type { ProviderCall } from "../../provider.ts";
import type { Vendor } from "../../provider-kind.ts";
import { vendors } from "../../provider-kinds.ts";
import { openVendor } from "./open-vendor.ts";

const names: readonly VendorName[] = ["anthropic", "openai", "google", "openai-compatible"];
const key = "test-key-1234567890";

const readFile = {
  name: "fs.read",
  description: "Reads a file.",
  input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

function callOf(changes: Partial<CompletionRequest> = {}, extra: Partial<ProviderCall> = {}): ProviderCall {
  return {
    request: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Greet Ada." },
      ],
      model: "model-1",
      max_tokens: 300,
      tools: [],
      schema_version: "v2",
      ...changes,
    },
    meta: { role: "worker", skill: null, call: 1, session_id: "SES-1", prompt: "Greet Ada.", contract_id: null },
    signal: new AbortController().signal,
    ...extra,
  };
}

function vendorNamed(name: VendorName): Vendor {
  const found = vendors.find(({ id }) => id === name);
  if (!found) throw new Error(`${name} is no vendor`);
  return found;
}

describe.each(names)("%s", (name) => {
  let server: FakeVendor;
  beforeEach(async () => {
    server = await fakeVendor(name);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const provider = (options: { readonly clock?: Clock; readonly idleMs?: number; readonly baseUrl?: string } = {}) =>
    openVendor({
      vendor: vendorNamed(name),
      connection: { baseUrl: options.baseUrl ?? server.baseUrl, apiKey: key, headers: { "x-team": "red" } },
      clock: options.clock ?? systemClock,
      idleMs: options.idleMs ?? 10_000,
      redact: (text) => text.replaceAll(key, "[key]"),
      refusals: knownRefusals(),
      facts: () => undefined,
    });
  const ask = async (changes: Partial<CompletionRequest> = {}) => (await provider()).complete(callOf(changes));
  /** The same with a listener for text, which makes the provider ask for a stream. */
  const watch = async (changes: Partial<CompletionRequest> = {}, options: Parameters<typeof provider>[0] = {}) => {
    const shown: string[] = [];
    const answered = await (await provider(options)).complete(
      callOf(changes, { onText: (delta) => void shown.push(delta) }),
    );
    return { answered, shown };
  };

  test("answers with text, usage and the key in its own header", async () => {
    server.will({ text: "Hello, Ada." });
    expect(await ask()).toMatchObject({
      ok: true,
      value: {
        text: "Hello, Ada.",
        tool_calls: [],
        finish_reason: "stop",
        usage: { input_tokens: 20, output_tokens: 7 },
        model: "model-1",
      },
    });
    const [request] = server.requests;
    expect(String(request?.headers[wireFormats[name].keyHeader])).toContain(key);
    expect(request?.headers["x-team"]).toBe("red");
    expect(JSON.stringify(request?.body)).toContain("Be brief.");
    expect(JSON.stringify(request?.body)).toContain("300");
  });

  test("streams text to the listener as it comes", async () => {
    server.will({ text: "Hello, Ada, and welcome." });
    const { answered, shown } = await watch();
    expect(answered).toMatchObject({
      ok: true,
      value: { text: "Hello, Ada, and welcome.", usage: { input_tokens: 20, output_tokens: 7 } },
    });
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.join("")).toBe("Hello, Ada, and welcome.");
  });

  test.each([
    ["a document", false],
    ["a stream", true],
  ])("maps tools there and back in %s", async (_, streamed) => {
    const calls = [{ id: "call_1", name: "fs__read", input: '{"path":"a.txt"}' }];
    server.will({ text: "I look.", calls });
    const answered = streamed ? (await watch({ tools: [readFile] })).answered : await ask({ tools: [readFile] });
    expect(answered).toMatchObject({
      ok: true,
      value: { finish_reason: "tool_use", tool_calls: [{ name: "fs.read", args: { path: "a.txt" } }] },
    });
    expect(answered.ok && answered.value.tool_calls[0]?.id).toMatch(/./);
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain('"fs__read"');
    expect(sent).not.toContain('"fs.read"');
  });

  test("sends earlier calls and their results back, whatever their ids are", async () => {
    server.will({ text: "It says hi." });
    const answered = await ask({
      tools: [readFile],
      messages: [
        { role: "user", content: "Read both." },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            { id: "odd id/1", name: "fs.read", args: { path: "a" } },
            { id: "call_2", name: "fs.read", args: { path: "b" } },
          ],
        },
        { role: "tool", content: '{"result":"hi"}', tool_call_id: "odd id/1", name: "fs.read" },
        { role: "tool", content: '{"result":"ho"}', tool_call_id: "call_2", name: "fs.read" },
        { role: "system", content: "Late advice." },
        { role: "user", content: "And?" },
      ],
    });
    expect(answered).toMatchObject({ ok: true, value: { text: "It says hi." } });
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).not.toContain("odd id/1");
    for (const part of ["fs__read", 'result\\":\\"hi', 'result\\":\\"ho', "Late advice.", "And?"])
      expect(sent).toContain(part);
  });

  test.each([
    ["length", "max_tokens"],
    ["safety", "safety"],
  ] as const)("maps the end %s to %s", async (finish, finish_reason) => {
    server.will({ text: "Hm", finish });
    expect(await ask()).toMatchObject({ ok: true, value: { finish_reason } });
    expect((await watch()).answered).toMatchObject({ ok: true, value: { finish_reason } });
  });

  test("an unknown finish reason beside a whole answer is kept, and the answer counts; beside nothing it is an error", async () => {
    server.will({ text: "Hm", finish: "unknown" });
    for (const answered of [await ask(), (await watch()).answered])
      expect(answered).toMatchObject({ ok: true, value: { text: "Hm", finish_reason: "stop" } });
    server.will({ text: "", finish: "unknown" });
    for (const answered of [await ask(), (await watch()).answered])
      expect(answered).toMatchObject({ ok: false, error: { code: "PROVIDER_ERROR", retryable: true } });
  });

  test("usage that is missing is never a silent 0", async () => {
    server.will({ text: "Hello.", usage: null });
    for (const answered of [await ask(), (await watch()).answered]) {
      if (answered.ok) expect(answered.value.usage).toBeUndefined();
      else expect(answered.error).toMatchObject({ code: "PROVIDER_ERROR", details: { sent: true } }); // Anthropic's form demands it
      if (!answered.ok) expect(answered.error.details["usage"]).toBeUndefined();
    }
  });

  test("usage of 0 beside a text is not believed", async () => {
    server.will({ text: "Hello.", usage: { input: 0, output: 0 } });
    const answered = await ask();
    expect(answered.ok && answered.value.usage).toBeUndefined();
  });

  test.each([
    [400, false, "refuses the request"],
    [401, false, "does not accept the key"],
    [403, false, "does not let this key do that"],
    [404, false, 'knows no model "model-1"'],
    [413, false, "too large"],
    [408, true, "refuses the request"],
    [429, true, "asks for fewer requests"],
    [500, true, "failure of its own"],
    [503, true, "overloaded"],
    [529, true, "overloaded"],
  ])("status %i: retryable %s, in words", async (status, retryable, words) => {
    server.will({ status, message: `said of the model with ${key}` });
    for (const answered of [await ask(), (await watch()).answered]) {
      expect(answered).toMatchObject({
        ok: false,
        error: { code: "PROVIDER_ERROR", retryable, details: { status, sent: true } },
      });
      if (!answered.ok) {
        expect(answered.error.message).toContain(words);
        expect(answered.error.message).not.toContain(key);
      }
    }
    expect(server.requests).toHaveLength(2); // the packages do not retry behind our back
  });

  test("Retry-After is read in seconds, as a date and in milliseconds", async () => {
    const clock = manualClock(Date.UTC(2026, 10, 15, 12, 0, 0));
    const model = await provider({ clock });
    const waits: unknown[] = [];
    for (const headers of [
      { "retry-after": "7" },
      { "retry-after": "Sun, 15 Nov 2026 12:00:09 GMT" },
      { "retry-after-ms": "250" },
      { "retry-after": "soon" },
    ]) {
      server.will({ status: 429, headers });
      const answered = await model.complete(callOf());
      waits.push(answered.ok ? "ok" : answered.error.details["retry_after_ms"]);
    }
    expect(waits).toEqual([7_000, 9_000, 250, undefined]);
  });

  test("a key without credit is not asked again", async () => {
    server.will({ status: 429, message: "You exceeded your current quota", type: "insufficient_quota" });
    expect(await ask()).toMatchObject({ ok: false, error: { retryable: false, details: { status: 429 } } });
  });

  test.each(["end", "reset"] as const)(
    "a stream cut in half (%s) is an error, though half of the text was shown",
    async (then) => {
      server.will({ half: { text: "Hello, Ada, and welcome to it." }, then });
      const { answered, shown } = await watch();
      expect(answered).toMatchObject({
        ok: false,
        error: { code: "PROVIDER_ERROR", retryable: true, details: { sent: true } },
      });
      expect(answered.ok || answered.error.details["usage"]).toBeUndefined(); // unknown, so the reservation counts
      expect(shown.join("").length).toBeGreaterThan(0);
    },
  );

  test.each(["end", "reset"] as const)("a document cut in half (%s) is an error", async (then) => {
    server.will({ half: { text: "Hello, Ada, and welcome to it." }, then });
    expect(await ask()).toMatchObject({ ok: false, error: { code: "PROVIDER_ERROR", retryable: true } });
  });

  test.each([
    ["an HTML page", "<html><body>Welcome to the hotel</body></html>"],
    ["no JSON", "data: {{{{\n\n"],
    ["nothing", ""],
    ["JSON of another kind", '{"hello":"world"}'],
    ["bytes", "\u0000\u0001\ufffd"],
    ["a stream of another kind", 'data: {"hello":"world"}\n\ndata: [DONE]\n\n'],
  ])("garbage (%s) is an error in words", async (_, bytes) => {
    server.will({ bytes });
    for (const answered of [await ask(), (await watch()).answered])
      expect(answered).toMatchObject({ ok: false, error: { code: "PROVIDER_ERROR", details: { sent: true } } });
  });

  test("an error page that is no JSON keeps its status", async () => {
    server.will({ status: 502, raw: "<html>Bad gateway</html>" });
    expect(await ask()).toMatchObject({ ok: false, error: { retryable: true, details: { status: 502 } } });
  });

  test("a failure within a stream is reported", async () => {
    server.will({ errorAfter: { text: "Hello, Ada, and welcome." }, message: "Overloaded", type: "overloaded_error" });
    const { answered } = await watch();
    expect(answered).toMatchObject({ ok: false, error: { code: "PROVIDER_ERROR", retryable: true } });
  });

  test("slow drips arrive whole, as long as each comes in time", async () => {
    server.will({ drip: { text: "Hello, Ada." }, everyMs: 5 });
    const { answered } = await watch({}, { idleMs: 5_000 });
    expect(answered).toMatchObject({ ok: true, value: { text: "Hello, Ada." } });
  });

  test("an answer that falls silent is a timeout, and the connection is given up", async () => {
    server.will({ half: { text: "Hello, Ada, and welcome." }, then: "silence" });
    const { answered } = await watch({}, { idleMs: 40 });
    expect(answered).toMatchObject({
      ok: false,
      error: { code: "PROVIDER_TIMEOUT", retryable: true, details: { sent: true } },
    });
    await expect.poll(() => server.open).toBe(0);
  });

  test("signs of life are no silence; the call still ends when it is canceled", async () => {
    server.will({ half: { text: "Hello, Ada, and welcome." }, then: "keep-alive" });
    const controller = new AbortController();
    const clock = manualClock();
    let signs = 0;
    const after: Clock["after"] = (ms, callback) => {
      signs += 1; // each chunk sets the limit anew
      return clock.after(ms, callback);
    };
    const model = await provider({ clock: { ...clock, after }, idleMs: 60 });
    const answering = model.complete(callOf({}, { signal: controller.signal, onText: () => undefined }));
    for (let seen = 0; seen < 10; seen = signs) {
      await expect.poll(() => signs).toBeGreaterThan(seen);
      clock.advance(50); // in all far beyond the limit, but never without a sign for so long
    }
    controller.abort();
    expect(await answering).toMatchObject({ ok: false, error: { code: "CANCELED" } });
    await expect.poll(() => server.open).toBe(0);
  });

  test("canceling before the first byte ends the call and the connection", async () => {
    server.will({ nothing: "silence" });
    const controller = new AbortController();
    const model = await provider();
    const answering = model.complete(callOf({}, { signal: controller.signal }));
    await server.seen(1);
    controller.abort();
    expect(await answering).toMatchObject({ ok: false, error: { code: "CANCELED" } });
    await expect.poll(() => server.open).toBe(0);
  });

  test("a connection that breaks before the answer is retryable and may have cost something", async () => {
    server.will({ nothing: "reset" });
    const answered = await ask();
    expect(answered).toMatchObject({ ok: false, error: { retryable: true, details: { sent: true } } });
    expect(answered.ok || answered.error.details["usage"]).toBeUndefined();
  });

  test("a server that is not there was sent nothing", async () => {
    const gone = await fakeVendor(name);
    await gone[Symbol.asyncDispose]();
    const model = await provider({ baseUrl: gone.baseUrl });
    expect(await model.complete(callOf())).toMatchObject({
      ok: false,
      error: {
        code: "PROVIDER_ERROR",
        retryable: true,
        message: expect.stringContaining(`cannot be reached at ${gone.baseUrl} (ECONNREFUSED)`),
        details: { sent: false },
      },
    });
  });

  test("a redirect is not followed: the key stays with its server", async () => {
    const elsewhere = await fakeVendor(name);
    server.will({ status: 307, headers: { location: `${elsewhere.baseUrl}/stolen` } });
    expect(await ask()).toMatchObject({ ok: false, error: { code: "PROVIDER_ERROR" } });
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere[Symbol.asyncDispose]();
  });

  test("an answer without end is cut off", async () => {
    server.will({ flood: true });
    expect((await watch()).answered).toMatchObject({
      ok: false,
      error: {
        code: "PROVIDER_ERROR",
        retryable: false,
        message: expect.stringContaining("more than an answer may weigh"),
      },
    });
    await expect.poll(() => server.open).toBe(0);
  });
});

describe.each(["anthropic", "openai", "openai-compatible"] as const)("%s, arguments", (name) => {
  let server: FakeVendor;
  beforeEach(async () => {
    server = await fakeVendor(name);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  test.each([
    ["no JSON", '{"path": "a'],
    ["a list", '["a"]'],
    ["a text", '"a"'],
  ])("of a tool that are %s make a call that is told of and never made", async (_, input) => {
    server.will({ calls: [{ id: "call_1", name: "fs__read", input }] });
    const model = await openVendor({
      vendor: vendorNamed(name),
      connection: { baseUrl: server.baseUrl, apiKey: key, headers: {} },
      clock: systemClock,
      idleMs: 5_000,
      redact: (text) => text,
      refusals: knownRefusals(),
      facts: () => undefined,
    });
    const answered = await model.complete(callOf({ tools: [readFile] }, { onText: () => undefined }));
    expect(answered).toMatchObject({
      ok: true,
      value: {
        tool_calls: [{ name: "fs.read", args: {}, invalid: { input, message: expect.stringContaining("arguments") } }],
      },
    });
  });
});
