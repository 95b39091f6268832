// Nobody takes the server for themselves: one caller has a share of it, whatever keys and addresses they come with.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { type CountingModel, countingModel } from "../support/counting-model.ts";
import { workOrder } from "../support/runtime-workspace.ts";
import { type TestServer, testServer } from "../support/server.ts";

const clock = manualClock(); // nothing is refilled while it stands still
let api: TestServer;
let model: CountingModel;
let answer = (): void => undefined;
const keys: Record<string, string> = {};
const as = (name: string) => ({ authorization: `Bearer ${keys[name]}` });

beforeAll(async () => {
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  model = await countingModel(() => answered.then(() => ({ text: "done" })));
  api = await testServer({
    keysOnly: true,
    serverClock: clock,
    limits: { maxStreams: 8, maxPendingOrders: 8, requestsPerSecond: 1, burst: 40 },
    config: {
      provider: "openai-compatible",
      model: "m",
      base_url: model.baseUrl,
      max_output_tokens: 100,
      identity: { callers: { "ada@corp": { roles: ["operator"] }, "bob@corp": { roles: ["operator"] } } },
    },
  });
  const { runtime } = api.workspace;
  const admin = runtime.localCaller();
  if (!admin.ok) throw new Error(admin.error.message);
  for (const [name, caller_id] of Object.entries({ ada: "ada@corp", "ada again": "ada@corp", bob: "bob@corp" })) {
    const made = await runtime.keys.create(admin.value, { caller_id });
    if (!made.ok) throw new Error(made.error.message);
    keys[name] = made.value.key;
  }
});
afterAll(async () => {
  answer();
  await api[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

test("a quarter of the streams, with all their keys together; MCP counts as one", async () => {
  const leave = new AbortController();
  const open = (name: string) => fetch(`${api.server.url}/api/v1/stream`, { headers: as(name), signal: leave.signal });
  expect([(await open("ada")).status, (await open("ada again")).status]).toEqual([200, 200]);
  const refused = await api.get("/api/v1/stream", as("ada"));
  expect(refused).toMatchObject({ status: 429, json: { code: "RATE_LIMITED" } });
  expect(refused.headers.get("retry-after")).toBe("5");
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect((await api.post("/mcp", ping, as("ada"))).status).toBe(429);
  expect((await open("bob")).status).toBe(200);
  leave.abort();
  await expect.poll(() => openStreams()).toBe("0");
  expect((await api.events("/api/v1/stream", 1, as("ada"))).map(({ event }) => event)).toEqual(["ready"]);
});

/** Asking costs the pace, which has to go on for it. */
async function openStreams(): Promise<string | undefined> {
  clock.advance(1_000);
  return /^writ_streams_open (\d+)$/m.exec((await api.get("/metrics", as("bob"))).text)?.[1];
}

test("a quarter of the orders on their way", async () => {
  const submit = (name: string) => api.post("/api/v1/flows", { work_order: workOrder() }, as(name));
  expect([(await submit("ada")).status, (await submit("ada again")).status]).toEqual([202, 202]);
  const refused = await submit("ada");
  expect(refused).toMatchObject({ status: 429, json: { code: "RATE_LIMITED" } });
  expect(refused.headers.get("retry-after")).toBe("2");
  expect((await submit("bob")).status).toBe(202);
});

test("one pace, from whatever address they ask", async () => {
  clock.advance(60_000); // everybody has their 40 again
  const ask = async (localAddress: string, name: string) => {
    const asked = request({
      host: "127.0.0.1",
      port: api.server.port,
      path: "/healthz",
      localAddress,
      headers: as(name),
      agent: false,
    }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  for (let asked = 0; asked < 40; asked++) expect(await ask(`127.0.0.${2 + (asked % 4)}`, "ada")).toBe(200);
  expect(await ask("127.0.0.2", "ada again")).toBe(429);
  expect(await ask("127.0.0.2", "bob")).toBe(200);
});
