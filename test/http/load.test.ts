// The server under load. Short here; WRIT_CAMPAIGN=1 is the whole: 200 live streams and 500 requests a second for a minute.
import { connect } from "node:net";
import autocannon from "autocannon";
import { expect, test } from "vitest";
import { countingModel } from "../support/counting-model.ts";
import { heldBytes } from "../support/garbage.ts";
import { workOrder } from "../support/runtime-workspace.ts";
import { type TestServer, testServer } from "../support/server.ts";

const isCampaign = process.env["WRIT_CAMPAIGN"] === "1";
const size = isCampaign ? { streams: 200, perSecond: 500, seconds: 60 } : { streams: 20, perSecond: 60, seconds: 2 };

/** Opens streams that are read, and some that nobody reads. */
async function watch(api: TestServer, session: string, count: number) {
  const abort = new AbortController();
  const seen: number[] = [];
  const reading = Array.from({ length: count }, async (_, index) => {
    const response = await fetch(`${api.server.url}/api/v1/sessions/${session}/stream`, { signal: abort.signal });
    seen[index] = 0;
    try {
      for await (const chunk of response.body ?? []) seen[index] = (seen[index] ?? 0) + chunk.length;
    } catch (thrown) {
      if (!abort.signal.aborted) throw thrown;
    }
  });
  const deaf = Array.from({ length: Math.ceil(count / 10) }, () => {
    const socket = connect(api.server.port, "127.0.0.1", () =>
      socket.write(`GET /api/v1/sessions/${session}/stream HTTP/1.1\r\nHost: 127.0.0.1:${api.server.port}\r\n\r\n`),
    );
    return socket.pause();
  });
  return {
    seen,
    async close() {
      abort.abort();
      for (const socket of deaf) socket.destroy();
      await Promise.allSettled(reading);
    },
  };
}

test("live streams and requests side by side: no error, and memory stays flat", { timeout: 180_000 }, async () => {
  await using api = await testServer({
    rules: [{ when: { call: 1 }, respond: { text: "done", delay_ms: size.seconds * 1000 } }],
    limits: { maxStreams: 500 },
  });
  const open = await api.post("/api/v1/flows", { work_order: workOrder() });
  const session = open.json.session_id as string;
  const streams = await watch(api, session, size.streams);
  const before = heldBytes();
  const load = await autocannon({
    url: `${api.server.url}/api/v1/sessions/${session}/events?limit=20`,
    connections: 10,
    overallRate: size.perSecond,
    duration: size.seconds,
  });
  const grown = heldBytes() - before;
  expect({ errors: load.errors, timeouts: load.timeouts, refused: load.non2xx }).toEqual({
    errors: 0,
    timeouts: 0,
    refused: 0,
  });
  expect(load["2xx"]).toBeGreaterThan(size.perSecond * size.seconds * 0.5);
  expect(grown).toBeLessThan(200 * 1024 * 1024);
  await streams.close();
  expect(streams.seen.filter((bytes) => bytes > 0)).toHaveLength(size.streams);
  expect(api.problems).toEqual([]);
});

test("a burst of connections is taken, every one of them", async () => {
  await using api = await testServer({ limits: { requestsPerSecond: 10_000, burst: 10_000 } });
  const request = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${api.server.port}\r\nConnection: close\r\n\r\n`;
  // All at once: nothing is taken before the last one has asked.
  const answers = await Promise.all(
    Array.from(
      { length: 1_000 },
      () =>
        new Promise<string>((resolve) => {
          let text = "";
          const socket = connect(api.server.port, "127.0.0.1", () => socket.write(request));
          socket.on("data", (chunk) => (text += String(chunk)));
          socket.on("error", ({ message }) => resolve(message));
          socket.on("end", () => resolve(text.slice(0, 12)));
        }),
    ),
  );
  expect([...new Set(answers)]).toEqual(["HTTP/1.1 200"]);
});

test("at five times what it takes, it turns away with the time to wait, and what it took completes", async () => {
  // No model answers before every request has been: whatever was taken is under way until then.
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await using model = await countingModel(() => answered.then(() => ({ text: "done" })));
  await using api = await testServer({
    config: { provider: "openai-compatible", model: "m", base_url: model.baseUrl, max_output_tokens: 100 },
    limits: { maxPendingOrders: 8 },
  });
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => api.post("/api/v1/flows", { work_order: workOrder() })),
  );
  answer();
  const taken = answers.filter(({ status }) => status === 202);
  const refused = answers.filter(({ status }) => status !== 202);
  expect(taken.length).toBeGreaterThanOrEqual(8);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, headers, json } of refused) {
    expect([status, json.code]).toEqual([503, "OVERLOADED"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  for (const { json } of taken) {
    const frames = await api.events(`/api/v1/sessions/${json.session_id}/stream`, 1000);
    expect(frames.at(-2)?.data.payload).toMatchObject({ ok: true });
  }
});
