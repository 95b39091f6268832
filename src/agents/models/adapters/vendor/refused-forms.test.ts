// How each vendor is asked for a document, what goes back to it, and what the next request begins with.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { seededRandom, systemClock } from "#core/values";
import { type FakeVendor, fakeVendor, type VendorName } from "../../../../../test/support/vendors/vendor-server.ts";
import type { CompletionRequest, CompletionResponse } from "../../completion.ts";
import { type KnownRefusals, knownRefusals, type LearnedRefusal } from "../../facts/known-refusals.ts";
import { type ModelFacts } from "../../facts/model-table.ts";
import { providerKinds } from "../../provider-kinds.ts";
import { retrying } from "../../retrying.ts";
import { openVendor } from "./open-vendor.ts";

const schema = {
  type: "object",
  required: ["city"],
  properties: { city: { type: "string" }, note: { type: "string" } },
};
const able: ModelFacts = { vendor: "any", native: true, tools: true };
const readFile = {
  name: "fs.read",
  description: "Reads a file.",
  input_schema: { type: "object", properties: { path: { type: "string" } } },
};
const question: CompletionRequest["messages"] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Where?" },
];

let server: FakeVendor;
let refusals: KnownRefusals;
let learned: LearnedRefusal[];
const open = async (name: VendorName) => {
  server = await fakeVendor(name);
  return server;
};
beforeEach(() => {
  refusals = knownRefusals();
  learned = [];
});
afterEach(() => server[Symbol.asyncDispose]());

async function complete(
  name: VendorName,
  request: Partial<CompletionRequest>,
  options: { readonly facts?: ModelFacts; readonly opaque?: CompletionResponse["opaque"] } = {},
) {
  const { vendor } = providerKinds[name];
  if (!vendor) throw new Error(name);
  const provider = await openVendor({
    vendor,
    connection: { baseUrl: server.baseUrl, apiKey: "key-of-a-test", headers: {} },
    clock: systemClock,
    idleMs: 5_000,
    redact: (text) => text,
    refusals,
    facts: () => options.facts ?? able,
  });
  const rules = { attempts: 1, first_delay_ms: 1, max_delay_ms: 1, limit_ms: 60_000 };
  const answered = await retrying(provider, rules, systemClock, seededRandom(1)).complete({
    request: { messages: question, model: "model-1", max_tokens: 4_000, tools: [], schema_version: "v2", ...request },
    meta: { role: "solo", skill: null, call: 1, session_id: "SES-1", prompt: "Where?", contract_id: null },
    signal: new AbortController().signal,
    onLearned: (refusal) => void learned.push(refusal),
    opaque: () => options.opaque,
  });
  if (!answered.ok) throw new Error(answered.error.message);
  return answered.value as CompletionResponse;
}

const sent = () => server.requests.map(({ body }) => body);
const city = { text: '{"city":"Ulm"}' };
const answer = { name: "place_v1", schema };

describe("a document is asked for", () => {
  test.each([
    ["openai", "text", { format: { type: "json_schema", strict: true } }],
    ["openai-compatible", "response_format", { type: "json_schema", json_schema: { strict: true } }],
    ["anthropic", "output_config", { format: { type: "json_schema" } }],
    ["google", "generationConfig", { responseMimeType: "application/json", responseJsonSchema: schema }],
  ] as const)("of %s by its own structured output", async (name, key, wanted) => {
    (await open(name)).will(city);
    expect(await complete(name, { answer })).toMatchObject({ text: city.text, answer_mode: "native" });
    expect(sent()[0]?.[key]).toMatchObject(wanted);
    if (name === "google") return;
    expect(JSON.stringify(sent()[0])).toContain('"required":["city","note"]'); // what may be absent is null
    expect(JSON.stringify(sent()[0])).toContain('"additionalProperties":false');
  });

  test.each(["openai", "openai-compatible", "anthropic", "google"] as const)(
    "of %s in the next way where the first is refused by name, and never again in the first",
    async (name) => {
      const said = "Invalid parameter: response_format / output_config.format json_schema is not supported";
      const call = { calls: [{ id: "c1", name: "answer", input: '{"city":"Ulm"}' }] };
      (await open(name)).will({ status: 400, message: said }, (request) =>
        JSON.stringify(request.body).includes('"name":"answer"') ? call : city,
      );
      const first = await complete(name, { answer });
      expect(JSON.parse(first.text)).toEqual({ city: "Ulm" });
      expect(first.tool_calls).toEqual([]);
      expect(learned).toMatchObject([{ model: "model-1", refused: { mode: "native" } }]);
      const count = sent().length;
      await complete(name, { answer });
      expect(sent().length).toBe(count + 1);
    },
  );

  test("a refusal that names nothing that can be left out ends the call", async () => {
    (await open("anthropic")).will({ status: 400, message: "messages: roles must alternate" });
    await expect(complete("anthropic", { answer })).rejects.toThrow("roles must alternate");
    expect(sent()).toHaveLength(1);
  });

  test("an answer beside other calls came too early: the calls are made first", async () => {
    (await open("anthropic")).will({
      calls: [
        { id: "c1", name: "fs__read", input: '{"path":"a"}' },
        { id: "c2", name: "answer", input: '{"city":"Ulm"}' },
      ],
    });
    const facts = { ...able, native: false };
    const said = await complete("anthropic", { answer, tools: [readFile] }, { facts });
    expect(said.tool_calls.map(({ name }) => name)).toEqual(["fs.read"]);
  });
});

test("OpenAI keeps nothing, and gets a key for its cache", async () => {
  (await open("openai")).will({ text: "Ulm." });
  await complete("openai", { cache_key: "THR-1" });
  expect(sent()[0]).toMatchObject({ store: false, prompt_cache_key: "THR-1" });
  expect(server.requests[0]?.path).toBe("/v1/responses");
});

test("a server that has no Responses interface is asked through chat from then on", async () => {
  (await open("openai")).will({ status: 404, message: "Not Found" }, { text: "Ulm." });
  expect(await complete("openai", {})).toMatchObject({ text: "Ulm." });
  await complete("openai", {});
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/v1/responses",
    "/v1/chat/completions",
    "/v1/chat/completions",
  ]);
  expect(learned).toMatchObject([{ refused: { api: "responses" } }]);
});

test.each(["openai", "anthropic", "google"] as const)(
  "what %s thought goes back to it as it gave it, and to no other model",
  async (name) => {
    const thought = { reasoning: "Ulm has a minster.", sealedReasoning: "c2VhbGVk" };
    const call = { id: "call_1", name: "fs__read", input: '{"path":"a"}' };
    (await open(name)).will({ ...thought, calls: [call] }, { text: "Ulm." });
    const first = await complete(name, { tools: [readFile], model: "gpt-5" });
    expect(first.reasoning).toBe("Ulm has a minster.");
    const messages: CompletionRequest["messages"] = [
      ...question,
      { role: "assistant", content: "", tool_calls: first.tool_calls, opaque: "handle" },
      { role: "tool", content: "{}", tool_call_id: first.tool_calls[0]?.id ?? "", name: "fs.read" },
    ];
    await complete(name, { tools: [readFile], model: "gpt-5", messages }, { opaque: first.opaque });
    expect(JSON.stringify(sent()[1])).toContain("c2VhbGVk");
    await complete(name, { tools: [readFile], model: "gpt-6", messages }, { opaque: first.opaque });
    expect(JSON.stringify(sent()[2])).not.toContain("c2VhbGVk");
  },
);

test.each(["openai", "openai-compatible", "anthropic", "google"] as const)(
  "request n+1 to %s begins with the bytes of request n; over ten turns at least 0.8 of what is sent was sent before",
  async (name) => {
    (await open(name)).will({ text: "ok" });
    const messages: CompletionRequest["messages"] = [
      { role: "system", content: "Be brief. ".repeat(40) },
      { role: "user", content: "Read ten files." },
    ];
    const tools = [readFile, { ...readFile, name: "echo" }];
    for (let turn = 1; turn <= 10; turn++) {
      await complete(name, {
        messages: [...messages],
        tools: turn % 2 ? tools : tools.toReversed(),
        cache_key: "THR-1",
      });
      messages.push(
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: `c${turn}`, name: "fs.read", args: { path: `${turn}.txt` } }],
        },
        {
          role: "tool",
          content: JSON.stringify({ text: "line ".repeat(40) }),
          tool_call_id: `c${turn}`,
          name: "fs.read",
        },
      );
    }
    // Anthropic's breakpoints move along and are no part of what it compares.
    const bytes = sent().map((body) => {
      const { system, tools: offered, messages: said, input, contents, systemInstruction } = body;
      const prefix = JSON.stringify([offered, system, systemInstruction]) + JSON.stringify(said ?? input ?? contents);
      return prefix.replaceAll(/,?"cache_control":\{"type":"ephemeral"\}/g, "");
    });
    let cached = 0;
    for (const [at, text] of bytes.entries()) {
      const before = (bytes[at - 1] ?? "").slice(0, -1); // without the bracket that closes the list
      expect(text.startsWith(before)).toBe(true);
      cached += before.length;
    }
    expect(cached / bytes.join("").length).toBeGreaterThanOrEqual(0.8);
    if (name === "anthropic") {
      const marks = JSON.stringify(sent().at(-1)).match(/"cache_control"/g) ?? [];
      expect(marks).toHaveLength(4); // tools, system, the last two messages
    }
  },
);
