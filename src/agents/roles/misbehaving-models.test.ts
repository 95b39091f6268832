// What models and their servers do instead of answering plainly, over each vendor's wire format, as a document and as a stream.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Result } from "#core/values";
import { seededRandom, systemClock } from "#core/values";
import { agentHarness } from "../../../test/support/agents.ts";
import {
  type Behaviour,
  type FakeVendor,
  fakeVendor,
  type VendorName,
} from "../../../test/support/vendors/vendor-server.ts";
import type { Said as Says } from "../../../test/support/vendors/wire-format.ts";
import { Conversation } from "../conversation/conversation.ts";
import { converse } from "../conversation/converse.ts";
import { openVendor } from "../models/adapters/vendor/open-vendor.ts";
import { knownRefusals } from "../models/facts/known-refusals.ts";
import { providerKinds } from "../models/provider-kinds.ts";
import { wrappings } from "../models/reader/wrappings.case.ts";
import { retrying } from "../models/retrying.ts";
import { ask } from "./ask.ts";

const review = { verdict: "pass", feedback: "", schema_version: "v1" };
const json = JSON.stringify(review);
const call = (text: string, id = "call_1", name = "echo") => ({ id, name, input: JSON.stringify({ text }) });
const hello: Says = { text: "Hello, Ada." };

interface Case {
  readonly name: string;
  readonly will: readonly Behaviour[];
  /** The code of its end; absent: it succeeds. */
  readonly code?: string;
  /** Formats that cannot say it. */
  readonly not?: readonly VendorName[];
  readonly requests?: number;
}

/** A role whose answer has a contract. */
const asked: readonly Case[] = [
  ...wrappings
    .filter(({ reads }) => reads)
    .map(({ name, wrap }) => ({ name, will: [{ text: wrap(json) }], requests: 1 })),
  { name: "a version that is missing", will: [{ text: '{"verdict":"pass","feedback":""}' }], requests: 1 },
  { name: "a key that was not asked for", will: [{ text: JSON.stringify({ ...review, mood: "good" }) }], requests: 1 },
  { name: "an enum in capitals", will: [{ text: JSON.stringify({ ...review, verdict: "PASS" }) }], requests: 1 },
  {
    name: "a wrong enum, then the right one",
    will: [{ text: '{"verdict":"fine","feedback":""}' }, { text: json }],
    requests: 2,
  },
  { name: "prose, then the document", will: [{ text: "Looks good to me!" }, { text: json }], requests: 2 },
  {
    name: "a cut document, then a whole one",
    will: [{ text: json.slice(0, 20), finish: "length" }, { text: json }],
    requests: 2,
  },
  { name: "two documents, for ever", will: [{ text: `${json}\n${json}` }], code: "MALFORMED_AGENT_MESSAGE" },
  { name: "prose, for ever", will: [{ text: "Looks good to me!" }], code: "MALFORMED_AGENT_MESSAGE" },
  {
    name: "a call of a role without tools, then the document",
    will: [{ calls: [call("x")] }, { text: json }],
    requests: 2,
  },
];

/** An agent with a tool, whose answer is text. */
const alone: readonly Case[] = [
  { name: "prose", will: [hello], requests: 1 },
  { name: "a call and its answer", will: [{ calls: [call("a")] }, hello], requests: 2 },
  { name: "text beside a call", will: [{ text: "Let me see.", calls: [call("a")] }, hello], requests: 2 },
  { name: "calls at once", will: [{ calls: [call("a"), call("b", "call_2")] }, hello], requests: 2 },
  { name: "calls with one id", will: [{ calls: [call("a"), call("b")] }, hello], requests: 2 },
  { name: "a tool in other letters", will: [{ calls: [call("a", "call_1", "Echo")] }, hello], requests: 2 },
  { name: "a tool that there is not", will: [{ calls: [call("a", "call_1", "teleport")] }, hello], requests: 2 },
  {
    name: "arguments that are cut",
    will: [{ calls: [{ id: "call_1", name: "echo", input: '{"text": "a' }] }, hello],
    not: ["google"],
    requests: 2,
  },
  {
    name: "arguments with a trailing comma",
    will: [{ calls: [{ id: "call_1", name: "echo", input: '{"text": "a",}' }] }, hello],
    not: ["google", "anthropic"],
    requests: 2,
  },
  {
    name: "the same call three times",
    will: [...[1, 2, 3].map((n) => ({ calls: [call("a", `c${n}`)] })), hello],
    requests: 4,
  },
  { name: "usage that is missing", will: [{ ...hello, usage: null }], not: ["anthropic"], requests: 1 },
  { name: "an end of an unknown kind", will: [{ ...hello, finish: "unknown" }], requests: 1 },
  { name: "an answer that is cut once", will: [{ text: "Hel", finish: "length" }, hello], requests: 2 },
  { name: "nothing, then an answer", will: [{ text: "" }, hello], requests: 2 },
  {
    name: "a call that its own server could not read, then an answer",
    will: [{ text: "", finish: "malformed_call" }, hello],
    not: ["anthropic", "openai", "openai-compatible"],
    requests: 2,
  },
  { name: "thinking aloud", will: [{ text: "<think>Who is Ada?</think>\nHello, Ada." }], requests: 1 },
  { name: "too many requests, then an answer", will: [{ status: 429 }, hello], requests: 2 },
  { name: "an overloaded server, then an answer", will: [{ status: 529 }, hello], requests: 2 },
  { name: "a failure of the server, then an answer", will: [{ status: 500 }, hello], requests: 2 },
  { name: "a connection that breaks, then an answer", will: [{ nothing: "reset" }, hello], requests: 2 },
  { name: "half an answer, then a whole one", will: [{ half: hello, then: "reset" }, hello], requests: 2 },
  { name: "an overloaded server, for ever", will: [{ status: 529 }], code: "PROVIDER_ERROR", requests: 3 },
  { name: "a refused request", will: [{ status: 400, message: "bad" }], code: "PROVIDER_ERROR", requests: 1 },
  { name: "a wrong key", will: [{ status: 401 }], code: "PROVIDER_ERROR", requests: 1 },
  { name: "an HTML page", will: [{ bytes: "<html>Welcome</html>" }], code: "PROVIDER_ERROR", requests: 3 },
  { name: "the same call for ever", will: [{ calls: [call("a")] }], code: "LOOP_DETECTED", requests: 5 },
  {
    name: "an answer that is always cut",
    will: [{ text: "Hel", finish: "length" }],
    code: "OUTPUT_TRUNCATED",
    requests: 2,
  },
  { name: "a refusal", will: [{ text: "I will not.", finish: "safety" }], code: "MODEL_REFUSED", requests: 1 },
  { name: "nothing, for ever", will: [{ text: "" }], code: "EMPTY_ANSWER", requests: 2 },
  {
    name: "a conversation that is too long",
    will: [{ status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" }],
    code: "CONTEXT_OVERFLOW",
    requests: 1,
  },
  {
    name: "a conversation that grew too long",
    will: [
      { calls: [{ ...call("a"), input: JSON.stringify({ text: "page ".repeat(4_000) }) }] },
      { calls: [call("b", "call_2")] },
      { status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" },
      // Without the old result: one summary where that is not enough, and the question once more.
      hello,
    ],
    requests: 4,
  },
];

const formats: readonly VendorName[] = ["anthropic", "openai", "openai-compatible", "google"];

describe.each(formats)("%s", (name) => {
  let server: FakeVendor;
  beforeAll(async () => {
    server = await fakeVendor(name);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const contextOf = async (isStream: boolean) => {
    const { vendor } = providerKinds[name];
    if (!vendor) throw new Error(`${name} is no vendor`);
    const provider = await openVendor({
      vendor,
      connection: { baseUrl: server.baseUrl, apiKey: "key-of-a-test", headers: {} },
      clock: systemClock,
      idleMs: 5_000,
      redact: (text) => text,
      refusals: knownRefusals(),
      facts: () => undefined,
    });
    const rules = { attempts: 3, first_delay_ms: 1, max_delay_ms: 2, limit_ms: 60_000 };
    const patient = retrying(provider, rules, systemClock, seededRandom(1));
    const { context } = await agentHarness(patient, { limits: { max_tool_calls: 40 } });
    return isStream ? { ...context, onPart: () => undefined } : context;
  };
  const requestsOf = async (run: () => Promise<Result<unknown>>, will: readonly Behaviour[]) => {
    server.will(...will);
    const before = server.requests.length;
    const ended = await run();
    return { ended, count: server.requests.length - before };
  };
  const expectEnd = ({ ended, count }: Awaited<ReturnType<typeof requestsOf>>, { code, requests }: Case) => {
    expect(ended.ok ? "success" : ended.error.code, ended.ok ? "" : ended.error.message).toBe(code ?? "success");
    if (requests !== undefined) expect(count).toBe(requests);
  };

  describe.each([
    ["a document", false],
    ["a stream", true],
  ])("%s", (_, isStream) => {
    test.each(asked.filter(({ not = [] }) => !not.includes(name)))("asked for a document: $name", async (each) => {
      const context = await contextOf(isStream);
      const question = {
        role: "reviewer",
        agent_id: "AGT-1",
        instructions: "Review.",
        schema_id: "review_result_v1",
        handoff: {},
      } as const;
      const seen = await requestsOf(async () => {
        const answered = await ask<typeof review>(context, question);
        if (answered.ok) expect(answered.value.output.verdict).toBe("pass");
        return answered;
      }, each.will);
      expectEnd(seen, each);
    });

    test.each(alone.filter(({ not = [] }) => !not.includes(name)))("asked for an answer: $name", async (each) => {
      const context = await contextOf(isStream);
      const speaker = {
        role: "solo",
        agent_id: "AGT-1",
        conversation: new Conversation("CNV-9"),
        contract_id: null,
        usesTools: true,
      };
      const seen = await requestsOf(async () => {
        const said = await converse(context, speaker, [{ role: "user", content: "Greet Ada." }]);
        if (said.ok) expect(said.value.text).toBe("Hello, Ada.");
        return said;
      }, each.will);
      expectEnd(seen, each);
    });
  });
});
