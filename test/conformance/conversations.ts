import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { canonicalJson, type JsonValue, ok, parseJson } from "#core/values";
import { testWorkspace } from "../support/runtime-workspace.ts";
import type { Exception } from "./answers.ts";
import { type Exchange, kindOf, nameOf } from "./corpus.ts";
import { type Expected, expectedOf } from "./expected.ts";

/** A tool loop: what the model said, request after request, until it answered. */
export interface Conversation {
  readonly name: string;
  readonly exchanges: readonly [Exchange, ...Exchange[]];
}

/**
 * Loops that can be put together: requests of one recording, each of which goes on with the messages of the one before and has
 * results for its calls, from a first one without results to an answer without calls.
 */
export function conversationsOf(exchanges: readonly Exchange[]): readonly Conversation[] {
  const byPath = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const key = `${exchange.source} ${exchange.path}`;
    byPath.set(key, [...(byPath.get(key) ?? []), exchange]);
  }
  return [...byPath.values()].flatMap((recorded) => {
    const found: Conversation[] = [];
    let chain: Exchange[] = [];
    for (const exchange of recorded.toSorted((a, b) => a.index - b.index)) {
      const before = chain.at(-1);
      if (!isUsable(exchange)) chain = [];
      else if (before && goesOn(before, exchange)) chain.push(exchange);
      else chain = isOpening(exchange) ? [exchange] : [];
      const [first, ...others] = chain;
      const last = chain.at(-1);
      if (!first || !last || chain.length < 2) continue;
      const { calls, text } = expectedOf(last);
      if (calls.length === 0 && text.trim() !== "") found.push({ name: nameOf(first), exchanges: [first, ...others] });
    }
    return found;
  });
}

function isUsable({ status, request, ...exchange }: Exchange): boolean {
  return status < 300 && request !== null && expectedOf({ ...exchange, status, request }).failure === undefined;
}

function messagesOf({ request }: Exchange): readonly unknown[] {
  const list = request?.["messages"] ?? request?.["input"] ?? request?.["contents"];
  return Array.isArray(list) ? list : [];
}

const results = /"(?:tool_call_id|tool_use_id|functionResponse|function_response|function_call_output)"/;

function isOpening(exchange: Exchange): boolean {
  const messages = messagesOf(exchange);
  return messages.length > 0 && !results.test(JSON.stringify(messages)) && expectedOf(exchange).calls.length > 0;
}

function goesOn(before: Exchange, after: Exchange): boolean {
  const earlier = messagesOf(before);
  const later = messagesOf(after);
  if (expectedOf(before).calls.length === 0 || later.length <= earlier.length) return false;
  if (JSON.stringify(later[0]) !== JSON.stringify(earlier[0])) return false;
  return results.test(JSON.stringify(later.slice(earlier.length)));
}

export interface ConversationsRun {
  readonly all: number;
  readonly exchanges: number;
  /** Ended with the recorded text, after the recorded calls with the recorded arguments. */
  readonly ended: number;
  readonly calls: number;
  readonly exceptions: readonly Exception[];
}

/** Carries every conversation out as `writ run` would, with the recorded bodies for a model and a stub for every tool. */
export async function runConversations(conversations: readonly Conversation[]): Promise<ConversationsRun> {
  const served = new Map<number, number>();
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const at = Number(/^\/(\d+)\//.exec(request.url ?? "")?.[1]);
      const turn = served.get(at) ?? 0;
      served.set(at, turn + 1);
      const exchange = conversations[at]?.exchanges[turn];
      if (!exchange)
        return void response.writeHead(500).end('{"error":{"message":"more was asked than was recorded"}}');
      response.writeHead(200, { "content-type": exchange.stream ? "text/event-stream" : "application/json" });
      response.end(exchange.response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const profiles = Object.fromEntries(
    conversations.map(({ exchanges: [first] }, at) => [
      `c${at}`,
      { provider: kindOf(first), base_url: `http://127.0.0.1:${port}/${at}`, model: first.model ?? "recorded-model" },
    ]),
  );
  await using workspace = await testWorkspace({
    config: { profiles, retries: { attempts: 1, first_delay_ms: 1, max_delay_ms: 1 } },
    env: {
      ANTHROPIC_API_KEY: "key-of-no-vendor",
      OPENAI_API_KEY: "key-of-no-vendor",
      GOOGLE_GENERATIVE_AI_API_KEY: "key-of-no-vendor",
    },
  });
  const { runtime } = workspace;
  const exceptions: Exception[] = [];
  const stubs = new Set<string>();
  const made: { readonly name: string; readonly args: unknown }[] = [];
  let ended = 0;
  let calls = 0;
  for (const [at, { name, exchanges }] of conversations.entries()) {
    const [first] = exchanges;
    const last = exchanges.at(-1) ?? first;
    const names = [...new Set(exchanges.flatMap((each) => expectedOf(each).calls.map((call) => call.name)))];
    for (const tool of names.filter((each) => !runtime.tools.find(each))) {
      stubs.add(tool);
      runtime.tools.register(stub(tool, (args) => made.push({ name: tool, args })));
    }
    made.length = 0;
    const format = `${first.format}${first.stream ? ", stream" : ""}`;
    const order = await runtime.writeWorkOrder(`Carry out recorded conversation ${at}`, {
      profile: `c${at}`,
      tools: names,
    });
    if (!order.ok) {
      exceptions.push({ name, format, reason: order.error.message });
      continue;
    }
    const result = await runtime.runFlow(
      { work_order: { ...order.value }, caller_id: runtime.caller },
      { fresh: true, ...(first.stream ? { onText: () => undefined } : {}) },
    );
    const asked = served.get(at) ?? 0;
    const expected = expectedOf(last);
    const wanted = exchanges
      .slice(0, -1)
      .flatMap((each) => expectedOf(each).calls.filter(({ name: of }) => stubs.has(of)));
    const reason = isCut(expected)
      ? "its recorded answer was cut at its limit: it is asked for once more, and no more was recorded"
      : result.status !== "success"
        ? `${result.status}: ${result.error_code} ${result.error}`
        : asked !== exchanges.length
          ? `${asked} requests for ${exchanges.length} recorded`
          : (otherCalls(wanted, made.splice(0)) ??
            otherText(withoutThinking(expected.text), (result.response ?? "").trim()));
    calls += wanted.length;
    if (reason === undefined) ended += 1;
    else exceptions.push({ name, format, reason });
  }
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  return {
    all: conversations.length,
    exchanges: conversations.reduce((sum, each) => sum + each.exchanges.length, 0),
    ended,
    calls,
    exceptions,
  };
}

function withoutThinking(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?<\/think>/, "").trim();
}

/** An answer without an end: what a request makes of it is another conversation than the recorded one. */
function isCut({ finish }: Expected): boolean {
  return finish !== undefined && /^(?:length|max_tokens|max_output_tokens|MAX_TOKENS)$/.test(finish);
}

function otherCalls(
  wanted: Expected["calls"],
  made: readonly { readonly name: string; readonly args: unknown }[],
): string | undefined {
  // What only reads runs at once: the order in which the tools are reached is not that of the calls.
  const asked = wanted.map(({ name, args }) => `${name} ${canonicalArguments(args)}`).toSorted();
  const done = made.map(({ name, args }) => `${name} ${canonicalJson(args as JsonValue)}`).toSorted();
  const at = asked.findIndex((call, index) => call !== done[index]);
  if (at < 0 && asked.length === done.length) return undefined;
  return `other calls: ${done[at] ?? "none"} for ${asked[at] ?? "none"} (${done.length} of ${asked.length})`;
}

function canonicalArguments(text: string): string {
  const parsed = parseJson(text.trim() === "" ? "{}" : text);
  return parsed.ok ? canonicalJson(parsed.value) : text;
}

function otherText(wanted: string, found: string): string | undefined {
  if (wanted === found) return undefined;
  let at = 0;
  while (wanted[at] === found[at]) at += 1;
  const part = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 20), at + 40));
  return `another answer: ${part(found)} for ${part(wanted)}`;
}

/** A tool under the name that a recording calls: it takes everything and says that it is done. */
function stub(name: string, onCall: (args: unknown) => void) {
  return {
    name,
    description: "a stub for a tool of a recording",
    schema_in: { type: "object" },
    schema_out: { type: "object" },
    annotations: { readOnly: true },
    origin: "conformance",
    invoke: async (args: unknown) => {
      onCall(args);
      return ok({ done: true });
    },
  } as const;
}
