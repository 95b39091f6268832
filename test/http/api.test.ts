// The API as a program sees it: one server over a real workspace.
import { renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { systemClock } from "#core/values";
import { workOrder } from "../support/runtime-workspace.ts";
import { type TestServer, testServer } from "../support/server.ts";

let api: TestServer;
let session: string;
beforeAll(async () => {
  api = await testServer();
  const done = await api.post("/api/v1/requests", { prompt: "greet Ada" }, { prefer: "wait=30" });
  session = done.json.session_id;
});
afterAll(() => api[Symbol.asyncDispose]());

describe("a request", () => {
  test("is answered once it is on disk, and ends as its session tells", async () => {
    const accepted = await api.post("/api/v1/requests", { prompt: "greet Bob" });
    expect(accepted).toMatchObject({
      status: 202,
      json: { status: "accepted", session_id: expect.stringMatching(/^SES-/) },
    });
    const frames = await api.events(`/api/v1/sessions/${accepted.json.session_id}/stream`, 1000);
    expect(frames[0]).toMatchObject({ event: "event", id: "1", data: { type: "session.start" } });
    expect(frames.at(-2)).toMatchObject({ data: { type: "session.close", payload: { ok: true } } });
    expect(frames.at(-1)).toMatchObject({ event: "end" });
    const shown = await api.get(`/api/v1/sessions/${accepted.json.session_id}`);
    expect(shown.json).toMatchObject({
      asked: "greet Bob",
      info: { closed: true, ok: true },
      snapshot: { verdict: "pass" },
    });
    expect((await api.get(`/api/v1/sessions/${accepted.json.session_id}/verify`)).json).toMatchObject({ ok: true });
  });

  test("with a key acts once, whoever repeats it", async () => {
    const key = { "idempotency-key": "the-first" };
    const body = { prompt: "greet Cem" };
    const [first, second] = await Promise.all([
      api.post("/api/v1/requests", body, key),
      api.post("/api/v1/requests", body, key),
    ]);
    const third = await api.post("/api/v1/requests", body, key);
    expect(new Set([first, second, third].map(({ json }) => json.session_id)).size).toBe(1);
    expect(await api.post("/api/v1/requests", { prompt: "greet Dan" }, key)).toMatchObject({
      status: 409,
      json: { code: "WRITE_CONFLICT" },
    });
  });

  test("may be a work order, which is judged like any other", async () => {
    const order = workOrder();
    const done = await api.post("/api/v1/flows", { work_order: order }, { prefer: "wait=30" });
    expect(done).toMatchObject({ status: 200, json: { status: "success", work_order_id: order["work_order_id"] } });
    expect((await api.post("/api/v1/work-orders", { work_order: order }, { prefer: "wait=30" })).json).toMatchObject({
      deduplicated: true,
    });
    expect(await api.post("/api/v1/flows", { work_order: { type: "answer" } })).toMatchObject({
      status: 422,
      json: { code: "WORK_ORDER_INVALID" },
    });
  });
});

describe("what is recorded", () => {
  test("is listed newest first and paged", async () => {
    const all = await api.get("/api/v1/sessions");
    expect(all.json.total).toBeGreaterThan(1);
    const first = await api.get("/api/v1/sessions?limit=1");
    const second = await api.get(`/api/v1/sessions?limit=1&after=${first.json.next}`);
    expect([first.json.sessions[0].session_id, second.json.sessions[0].session_id]).toEqual(
      all.json.sessions.slice(0, 2).map(({ session_id }: { session_id: string }) => session_id),
    );
  });

  test("comes in pages that join without a gap, and by type", async () => {
    const seen: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const { json } = await api.get(`/api/v1/sessions/${session}/events?limit=7&after=${after}`);
      seen.push(...json.events.map(({ seq }: { seq: number }) => seq));
      after = json.next;
    }
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    const models = await api.get(`/api/v1/sessions/${session}/events?type=llm.response`);
    expect(models.json.events.every(({ type }: { type: string }) => type === "llm.response")).toBe(true);
    expect(models.json.events.length).toBeGreaterThan(2);
  });

  test("is streamed from where a reader left off", async () => {
    const stream = `/api/v1/sessions/${session}/stream`;
    expect((await api.events(stream, 3)).map(({ id }) => id)).toEqual(["1", "2", "3"]);
    expect((await api.events(stream, 2, { "last-event-id": "3" })).map(({ id }) => id)).toEqual(["4", "5"]);
    expect((await api.events(`${stream}?after=5`, 1)).map(({ id }) => id)).toEqual(["6"]);
    expect(await api.get(stream, { "last-event-id": "3x" })).toMatchObject({ status: 400 });
  });
});

test("refusals are problem documents with our codes", async () => {
  const problems = [
    await api.get("/api/v1/sessions/SES-20261115-00000000000000000000"),
    await api.get("/api/v1/nothing"),
    await api.get("/api/v1/sessions?limti=3"),
    await api.get("/api/v1/sessions?limit=0"),
    await api.post("/api/v1/requests", { prompt: "x", dev_mode: true }),
    await api.post("/api/v1/requests", '{"prompt": "a", "prompt": "b"}'),
    await api.post("/api/v1/requests", "x".repeat(100_000)),
    await api.post("/api/v1/requests", "prompt=x", { "content-type": "application/x-www-form-urlencoded" }),
  ];
  expect(problems.map(({ status, json }) => [status, json.code])).toEqual([
    [404, "NOT_FOUND"],
    [404, "NOT_FOUND"],
    [400, "MALFORMED_INPUT"],
    [400, "MALFORMED_INPUT"],
    [422, "SCHEMA_VIOLATION"],
    [400, "MALFORMED_INPUT"],
    [413, "TOO_LARGE"],
    [415, "WRONG_MEDIA_TYPE"],
  ]);
  for (const { headers, json } of problems) {
    expect(headers.get("content-type")).toContain("application/problem+json");
    expect(shippedRegistry().validate("problem_v1", json)).toMatchObject({ ok: true });
  }
  expect(problems[2]?.json.detail).toContain('did you mean "limit"');
});

test("the API describes itself: every route, every reference resolved, and a page without a script", async () => {
  const { json } = await api.get("/api/v1/openapi.json");
  expect(json.openapi).toBe("3.1.0");
  expect(Object.keys(json.paths)).toContain("/api/v1/sessions/{session_id}/events");
  const refs = [...JSON.stringify(json).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = ""]) => ref);
  expect(refs.length).toBeGreaterThan(10);
  for (const ref of refs) {
    const found = ref
      .slice(2)
      .split("/")
      .reduce((at, step) => at?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], json);
    expect(found, ref).toBeDefined();
  }
  const page = await api.get("/api");
  expect(page.text).toContain("/api/v1/sessions/:session_id/stream");
  expect(page.text).not.toContain("<script");
});

test("runs are opened, shown, paused and canceled, each once per key", async () => {
  const key = { "idempotency-key": "run-1" };
  const opened = await api.post("/api/v1/runs", { app_id: "writer", objective: "a page" }, key);
  const again = await api.post("/api/v1/runs", { app_id: "writer", objective: "a page" }, key);
  expect(opened.status).toBe(201);
  expect(again.json).toEqual(opened.json);
  const { run_id } = opened.json.run;
  expect((await api.get("/api/v1/runs")).json.runs).toHaveLength(1);
  expect((await api.post(`/api/v1/runs/${run_id}/pause`, {})).json.run.paused).toBe(true);
  expect((await api.post(`/api/v1/runs/${run_id}/cancel`, { message: "not needed" })).json.run.close_reason).toBe(
    "canceled",
  );
  const frames = await api.events(`/api/v1/runs/${run_id}/stream`, 100);
  expect(frames.map(({ data }) => data.event_type ?? "end")).toEqual([
    "run.started",
    "run.paused",
    "run.closed",
    "end",
  ]);
  expect((await api.get(`/api/v1/runs/${run_id}`)).json).toMatchObject({ work_items: [], patches: [], revisions: [] });
  expect((await api.get("/api/v1/runs/RUN-nothing")).status).toBe(404);
});

test("everything else that the workspace has can be read, and says what its contract says", async () => {
  const paths = [
    "tools",
    "skills",
    "schemas",
    "schemas/work_order_v1",
    "policies",
    "workflows",
    "packages",
    "gates",
    "config",
    "budgets",
    "evals",
    "approvals",
    "halts",
  ];
  for (const path of paths) expect([path, (await api.get(`/api/v1/${path}`)).status]).toEqual([path, 200]);
  expect((await api.get("/api/v1/tools")).json.tools.map(({ name }: { name: string }) => name)).toContain("fs.write");
  expect((await api.get("/api/v1/budgets")).json.workspace.spent.tokens).toBeGreaterThan(0);
  expect(shippedRegistry().validate("gate_report_v1", (await api.get("/api/v1/gates")).json).ok).toBe(true);
  const cycles = (await api.get("/api/v1/workflows")).json.workflows;
  if (cycles.length > 0)
    expect((await api.get(`/api/v1/workflows/${cycles[0].cycle_id}`)).json.phases.length).toBeGreaterThan(0);
  expect(await api.get("/api/v1/workflows/no-such-cycle")).toMatchObject({
    status: 404,
    json: { code: "WORKFLOW_UNKNOWN_ID" },
  });
  expect((await api.get(`/api/v1/sessions/${session}/diff?with=${session}`)).json.same).toBe(true);
  const metrics = (await api.get("/metrics")).text;
  expect(metrics).toMatch(/^writ_sessions [1-9]/m);
  expect(metrics).toContain('writ_http_requests_total{route="/api/v1/tools",method="GET",status="200"}');
});

test("a page with lists is told what changes", async () => {
  let told = () => {};
  const ready = new Promise<void>((resolve) => {
    told = resolve;
  });
  const watching = api.events("/api/v1/stream", 2, {}, () => told());
  await ready;
  await api.post("/api/v1/requests", { prompt: "greet Fay" }, { prefer: "wait=20" });
  expect((await watching).map(({ event }) => event)).toEqual(["ready", "session"]);
});

test("what models say is told while they say it, and again to who comes back", async () => {
  const { json } = await api.post("/api/v1/requests", { prompt: "greet Gil" }, { prefer: "wait=20" });
  const all = await api.events(`/api/v1/sessions/${json.session_id}/text`, 1000);
  const said = all.filter(({ event }) => event === "text");
  expect(said.length).toBeGreaterThan(1);
  const rest = await api.events(`/api/v1/sessions/${json.session_id}/text`, 1000, { "last-event-id": "1" });
  expect(rest.map(({ id }) => id)).toEqual(all.slice(1).map(({ id }) => id));
});

test("a run of an app waits for a conductor that has it; where the configuration names apps, another one is refused", async () => {
  const waiting = await api.post("/api/v1/runs", { app_id: "elsewhere", objective: "a page" });
  expect(waiting).toMatchObject({ status: 201, json: { run: { app_id: "elsewhere", status: "active" } } });
  await using named = await testServer({ config: { server: { apps: ["second-opinion"] } } });
  const unknown = await named.post("/api/v1/runs", { app_id: "wrtier", objective: "a page" });
  expect(unknown).toMatchObject({
    status: 404,
    json: { code: "NOT_FOUND", details: { app_id: "wrtier", apps: ["code-change", "second-opinion", "writer"] } },
  });
  expect(unknown.json.detail).toContain("wrtier");
  const opened = await named.post("/api/v1/runs", { app_id: "second-opinion", objective: "Friday?" });
  expect(opened).toMatchObject({ status: 201, json: { run: { app_id: "second-opinion", status: "active" } } });
  expect((await named.post("/api/v1/runs", { app_id: "toString", objective: "a page" })).status).toBe(404);
});

test("a probe is told within its second that the store does not answer, whether it shows a key or not", async () => {
  const never = () => new Promise<never>(() => undefined);
  await using away = await testServer({
    authenticator: { byKey: never },
    runtimeSeen: (runtime) => ({ ...runtime, halts: never }),
    // Waits of a second and more are never over here.
    serverClock: { ...systemClock, after: (ms, act) => (ms < 1000 ? systemClock.after(0, act) : () => undefined) },
  });
  const key = { authorization: "Bearer writkey_of_somebody" };
  for (const path of ["/healthz", "/readyz"])
    expect([path, await away.get(path, key)]).toMatchObject([
      path,
      { status: 503, json: { code: "STORE_UNAVAILABLE" } },
    ]);
  expect(await away.get("/readyz")).toMatchObject({ status: 503, json: { ready: false } });
  expect(await away.get("/healthz")).toMatchObject({ status: 200, json: { status: "ok" } });
});

test("it is not ready while the disk takes no writes, and says so; its room is a metric", async () => {
  const hot = join(api.workspace.root, "planes/hot");
  const disk = async () => (await api.get("/readyz")).json.checks.find(({ name }: { name: string }) => name === "disk");
  expect(await disk()).toMatchObject({ ok: true, detail: expect.stringMatching(/^takes writes, \d+ MB free$/) });
  expect((await api.get("/metrics")).text).toMatch(/^writ_disk_free_bytes [1-9]\d+$/m);
  renameSync(hot, `${hot}-away`);
  try {
    expect(await api.get("/readyz")).toMatchObject({ status: 503, json: { ready: false } });
    expect(await disk()).toEqual({ name: "disk", ok: false, detail: "takes no writes" });
  } finally {
    renameSync(`${hot}-away`, hot);
  }
  expect((await api.get("/readyz")).status).toBe(200);
});

test("it is ready until everything is halted", async () => {
  expect((await api.get("/healthz")).json).toEqual({ status: "ok" });
  expect((await api.get("/readyz")).status).toBe(200);
  expect((await api.post("/api/v1/halts", { reason: "drill" })).json.halts).toHaveLength(1);
  expect((await api.get("/readyz")).status).toBe(503);
  expect(await api.post("/api/v1/requests", { prompt: "greet Eve" })).toMatchObject({
    status: 409,
    json: { code: "HALTED" },
  });
  await fetch(`${api.server.url}/api/v1/halts`, { method: "DELETE" });
  expect((await api.get("/readyz")).status).toBe(200);
  expect(api.problems).toEqual([]);
});
