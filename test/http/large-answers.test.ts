// Answers that are large or dear: nobody holds the server's memory by not taking them, or by asking for many at once.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { writeGreeting } from "../support/greeting-session.ts";
import { type TestServer, testServer } from "../support/server.ts";

const clock = manualClock();
/** More than the buffers of two sockets hold. */
const size = 32 * 1024 * 1024;
let api: TestServer;
let studio: string;
beforeAll(async () => {
  studio = await mkdtemp(join(tmpdir(), "writ-studio-"));
  await writeFile(join(studio, "large.txt"), Buffer.alloc(size));
  api = await testServer({
    studio,
    serverClock: clock,
    kernelSeen: ({ kernel, ...rest }) => ({ ...rest, kernel: { ...kernel, read: { ...kernel.read, revisions } } }),
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(studio, { recursive: true });
});
const revisions = () => Promise.reject(new Error("all revisions are read to find one"));

test("whoever does not take an answer is dropped, after a time that its size allows for", async () => {
  const socket = connect(api.server.port, "127.0.0.1");
  socket.write(`GET /large.txt HTTP/1.1\r\nHost: 127.0.0.1:${api.server.port}\r\n\r\n`);
  const [first] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  clock.advance(60_000 + (size / 102_400) * 1000 - 1);
  expect((await api.get("/healthz")).status).toBe(200);
  expect(socket.closed).toBe(false);
  clock.advance(1);
  let taken = first.length;
  socket.on("data", (chunk: Buffer) => {
    taken += chunk.length;
  });
  socket.on("error", () => undefined); // a reset is an end as well
  socket.resume();
  await once(socket, "close");
  expect(taken).toBeLessThan(size);
});

test("two sessions at most are read whole at once, however many ask", async () => {
  const { log } = api.workspace.runtime;
  const { session_id } = await writeGreeting(log);
  const read = log.readBatches.bind(log);
  let underWay = 0;
  let most = 0;
  let goOn = (): void => undefined;
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  log.readBatches = async function* (...asked) {
    underWay += 1;
    most = Math.max(most, underWay);
    await mayGoOn;
    yield* read(...asked);
    underWay -= 1;
  };
  const asked = Array.from({ length: 6 }, () => api.get(`/api/v1/sessions/${session_id}/diff?with=${session_id}`));
  await expect.poll(() => underWay).toBeGreaterThanOrEqual(2);
  for (let others = 0; others < 10; others++) expect((await api.get("/healthz")).status).toBe(200);
  goOn();
  for (const answer of asked) expect(await answer).toMatchObject({ status: 200, json: { same: true } });
  log.readBatches = read;
  expect(most).toBe(2);
  expect((await api.get(`/api/v1/sessions/${session_id}/bundle`)).text).toContain(session_id);
});

test("a page that is longer than a browser opens is not sent: its size is told, and the way to have it", async () => {
  const { session_id } = await writeGreeting(api.workspace.runtime.log);
  const path = `/api/v1/sessions/${session_id}/bundle`;
  const bytes = Buffer.byteLength((await api.get(path)).text);
  const withLimit = (bundleBytes: number) =>
    testServer({ serverClock: clock, runtimeSeen: () => api.workspace.runtime, limits: { bundleBytes } });
  await using enough = await withLimit(bytes);
  expect((await enough.get(path)).status).toBe(200);
  await using tooLittle = await withLimit(bytes - 1);
  const { status, json } = await tooLittle.get(path);
  expect([status, json.code]).toEqual([400, "MALFORMED_INPUT"]);
  expect(json.detail).toContain(`would have ${bytes} bytes, at most ${bytes - 1} are sent`);
  expect(json.detail).toContain(`writ session export ${session_id} --bundle`);
});

test("one revision is looked up, not looked for among all", async () => {
  const { json } = await api.post("/api/v1/runs", { app_id: "writer", objective: "a page" });
  expect(await api.get(`/api/v1/runs/${json.run.run_id}/revisions/REV-none/document`)).toMatchObject({
    status: 404,
    json: { code: "NOT_FOUND" },
  });
});
