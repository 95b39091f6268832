import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { canonicalJson, isJsonObject, parseJson, systemClock } from "#core/values";
import { shippedTable } from "../../src/agents/models/adapters/files/model-table-file.ts";
import { openVendor } from "../../src/agents/models/adapters/vendor/open-vendor.ts";
import type { AnyCompletionResponse } from "../../src/agents/models/completion.ts";
import { knownRefusals } from "../../src/agents/models/facts/known-refusals.ts";
import { tableOf } from "../../src/agents/models/facts/model-table.ts";
import { providerKinds } from "../../src/agents/models/provider-kinds.ts";
import { type Exchange, kindOf, nameOf } from "./corpus.ts";
import { type Expected, expectedOf, noAnswer } from "./expected.ts";

/** One answer that was not read, or not as it stands in its body. */
export interface Exception {
  readonly name: string;
  readonly format: string;
  readonly reason: string;
}

export interface AnswersRead {
  readonly good: number;
  readonly read: number;
  /** Good by their status, and a failure of the vendor by their body. */
  readonly failures: readonly Exception[];
  readonly exceptions: readonly Exception[];
  /** Refusals (4xx, 5xx), and how many of them ended with a code and words. */
  readonly refused: { readonly all: number; readonly told: number };
  /** How each exchange ended: the reason of its answer, or the code of its failure. */
  readonly ends: readonly { readonly name: string; readonly end: string }[];
  readonly byFormat: Readonly<Record<string, { good: number; read: number }>>;
  readonly withReasoning: number;
  readonly withCachedTokens: number;
  readonly withVendorCalls: number;
  readonly dispatchedVendorCalls: number;
}

/** Has the adapters read every answer of a corpus over HTTP, and compares what they read with the raw body. */
export async function readAnswers(exchanges: readonly Exchange[]): Promise<AnswersRead> {
  await using served = await serveRecorded(exchanges);
  const exceptions: Exception[] = [];
  const failures: Exception[] = [];
  const byFormat: Record<string, { good: number; read: number }> = {};
  const table = tableOf(shippedTable());
  const ends: { name: string; end: string }[] = [];
  let told = 0;
  let refused = 0;
  let withReasoning = 0;
  let withCachedTokens = 0;
  let withVendorCalls = 0;
  let dispatchedVendorCalls = 0;
  for (const [at, exchange] of exchanges.entries()) {
    const vendor = providerKinds[kindOf(exchange)].vendor;
    if (!vendor) throw new Error(`${exchange.format} has no vendor`);
    const provider = await openVendor({
      vendor,
      connection: { baseUrl: `${served.baseUrl}/${at}`, apiKey: "none", headers: {} },
      clock: systemClock,
      idleMs: 10_000,
      redact: (text) => text,
      refusals: knownRefusals(),
      facts: (model) => table.facts(model),
    });
    const ask = () =>
      provider.complete({
        request: {
          messages: [{ role: "user", content: "recorded" }],
          model: exchange.model ?? "recorded-model",
          max_tokens: 4096,
          tools: [],
          schema_version: "v2",
        },
        meta: { role: "solo", skill: null, call: 1, session_id: "SES-1", prompt: "recorded", contract_id: null },
        signal: new AbortController().signal,
        ...(exchange.stream ? { onText: () => undefined } : {}),
      });
    let answered = await ask();
    // What the adapter has learned from the answer (another interface, a parameter), it does at once, as in a request.
    while (!answered.ok && answered.error.details["stepped_down"] === true) answered = await ask();
    ends.push({ name: nameOf(exchange), end: answered.ok ? answered.value.finish_reason : answered.error.code });
    // What a model wrote, in a refusal of its own server (`tool_use_failed`), is the turn.
    const isTurn =
      answered.ok && answered.value.schema_version === "v2" && answered.value.finish_raw === "tool_use_failed";
    if (exchange.status >= 300) {
      refused += 1;
      if (isTurn || (!answered.ok && answered.error.details["status"] === exchange.status)) told += 1;
      continue;
    }
    const expected = expectedOf(exchange);
    const named = { name: nameOf(exchange), format: `${exchange.format}${exchange.stream ? ", stream" : ""}` };
    if (expected.failure !== undefined && (!answered.ok || isTurn)) {
      failures.push({ ...named, reason: `${isTurn ? "read as the turn: " : ""}${expected.failure}` });
      continue;
    }
    const counts = (byFormat[exchange.format] ??= { good: 0, read: 0 });
    counts.good += 1;
    const found = answered.ok ? difference(answered.value, expected) : answered.error.message;
    const reason = found === undefined ? undefined : (noAnswer(exchange) ?? found);
    if (reason !== undefined) {
      exceptions.push({ ...named, reason });
      continue;
    }
    counts.read += 1;
    if (!answered.ok || answered.value.schema_version !== "v2") continue;
    const { reasoning, usage, output = [], tool_calls } = answered.value;
    if (reasoning !== undefined) withReasoning += 1;
    if (usage?.cached_input_tokens) withCachedTokens += 1;
    const theirs = output.filter(({ type }) => type === "vendor_call").map(({ id }) => id);
    if (theirs.length > 0) withVendorCalls += 1;
    if (tool_calls.some(({ id }) => theirs.includes(id))) dispatchedVendorCalls += 1;
  }
  const good = Object.values(byFormat).reduce((sum, each) => sum + each.good, 0);
  const read = Object.values(byFormat).reduce((sum, each) => sum + each.read, 0);
  return {
    good,
    read,
    failures,
    exceptions,
    refused: { all: refused, told },
    ends,
    byFormat,
    withReasoning,
    withCachedTokens,
    withVendorCalls,
    dispatchedVendorCalls,
  };
}

function difference(answer: AnyCompletionResponse, expected: Expected): string | undefined {
  if (answer.text !== expected.text)
    return `text differs: ${JSON.stringify(answer.text.slice(0, 60))} for ${JSON.stringify(expected.text.slice(0, 60))}`;
  if (answer.tool_calls.length !== expected.calls.length)
    return `${answer.tool_calls.length} calls for ${expected.calls.length}`;
  for (const [at, { name, args }] of expected.calls.entries()) {
    const call = answer.tool_calls[at];
    const parsed = parseJson(args.trim() === "" ? "{}" : args);
    if (call?.name !== name) return `the call ${name} was read as ${call?.name}`;
    if (parsed.ok && isJsonObject(parsed.value) && canonicalJson(parsed.value) !== canonicalJson(call.args))
      return `the arguments of ${name} differ`;
  }
  return undefined;
}

interface Served extends AsyncDisposable {
  readonly baseUrl: string;
}

/** Answers `/N/…` with the body of exchange N, as it was recorded. */
async function serveRecorded(exchanges: readonly Exchange[]): Promise<Served> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const at = Number(/^\/(\d+)\//.exec(request.url ?? "")?.[1]);
      const exchange = exchanges[at];
      if (!exchange) return void response.writeHead(500).end();
      response.writeHead(exchange.status, {
        "content-type": exchange.stream ? "text/event-stream" : "application/json",
      });
      response.end(exchange.response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
