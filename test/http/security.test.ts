// The threats of the design that touch the server: each is tried, none gets through, and what is refused leaves no trace of work.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err } from "#core/values";
import { built } from "../support/built.ts";
import { workOrder } from "../support/runtime-workspace.ts";
import { type TestServer, testServer } from "../support/server.ts";
import { writ } from "../support/writ.ts";

let api: TestServer;
const keys: Record<string, string> = {};
const as = (name: string) => ({ authorization: `Bearer ${keys[name]}` });

beforeAll(async () => {
  api = await testServer({
    keysOnly: true,
    config: {
      identity: {
        callers: {
          "vera@corp": { roles: ["viewer"] },
          "omar@corp": { roles: ["operator"] },
          "anna@corp": { roles: ["approver"] },
          "root@corp": { roles: ["admin"] },
          "sam@corp": { roles: ["speaker"] },
        },
        roles: { speaker: { grants: ["order.submit", "framework:*", "class:*"] } },
      },
    },
  });
  const { runtime } = api.workspace;
  const admin = runtime.localCaller();
  if (!admin.ok) throw new Error(admin.error.message);
  const make = async (name: string, caller_id: string, more: object = {}) => {
    const made = await runtime.keys.create(admin.value, { caller_id, ...more });
    if (!made.ok) throw new Error(made.error.message);
    keys[name] = made.value.key;
    return made.value.key_id;
  };
  await make("viewer", "vera@corp");
  await make("operator", "omar@corp");
  await make("approver", "anna@corp");
  await make("admin", "root@corp");
  await make("speaker", "sam@corp");
  await make("scoped", "root@corp", { scope: ["read"] });
  await make("brief", "root@corp", { expiresAt: Date.now() + 300 });
  const revoked = await make("revoked", "root@corp");
  await runtime.keys.revoke(admin.value, revoked, "lost");
  await new Promise((resolve) => setTimeout(resolve, 350));
});
afterAll(() => api[Symbol.asyncDispose]());

/** Bytes as they are, for what no client library would send; what is answered until the server closes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(api.server.port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(text));
  });
}
const host = () => `127.0.0.1:${api.server.port}`;

describe("who asks", () => {
  test("without a key only health is told, and every other route says how to get in", async () => {
    const { json } = await api.get("/api/v1/openapi.json");
    for (const [path, operations] of Object.entries<Record<string, { security?: unknown[] }>>(json.paths))
      for (const [method, operation] of Object.entries(operations)) {
        const url = `${api.server.url}${path.replaceAll(/\{[a-z_0-9]+\}/g, "x")}`;
        const { status } = await fetch(url, { method: method.toUpperCase() });
        if (operation.security === undefined) expect([method, path, status]).toEqual([method, path, 401]);
        else expect(status).toBeLessThan(500);
      }
  });

  test.for([
    ["forged", "Bearer writkey_0123456789abcdef_00000000000000000000000000000000"],
    ["no key at all", "Bearer x"],
    ["another scheme", "Basic YWRtaW46YWRtaW4="],
    ["a key with a line break", "Bearer\twritkey_1"],
  ])("a key that is %s opens nothing, and the answer does not say why", async ([, authorization = ""]) => {
    expect(await api.get("/api/v1/sessions", { authorization })).toMatchObject({
      status: 401,
      json: { code: "NOT_AUTHENTICATED" },
    });
  });

  test("a revoked key and an expired one open nothing", async () => {
    for (const name of ["revoked", "brief"]) expect((await api.get("/api/v1/sessions", as(name))).status).toBe(401);
  });

  test("a changed character of a good key opens nothing", async () => {
    const good = keys["admin"] ?? "";
    const changed = `${good.slice(0, -1)}${good.endsWith("a") ? "b" : "a"}`;
    expect((await api.get("/api/v1/sessions", { authorization: `Bearer ${changed}` })).status).toBe(401);
  });
});

describe("what they may", () => {
  const order = () => ({ work_order: workOrder() });
  test.for([
    ["viewer", "read", 200],
    ["viewer", "submit", 403],
    ["viewer", "halt", 403],
    ["approver", "submit", 403],
    ["approver", "halt", 403],
    ["scoped", "submit", 403],
    ["operator", "submit", 202],
    ["operator", "keys", 403],
    ["admin", "keys", 200],
  ] as const)("%s: %s is %s", async ([who, what, expected]) => {
    const asked = {
      read: () => api.get("/api/v1/sessions", as(who)),
      submit: () => api.post("/api/v1/flows", order(), as(who)),
      halt: () => api.post("/api/v1/halts", { reason: "x" }, as(who)),
      keys: () => api.get("/api/v1/keys", as(who)),
    }[what];
    expect((await asked()).status).toBe(expected);
  });

  test("every route, whoever asks: without its right it is refused before anything is read", async () => {
    const granted = { viewer: ["read"], approver: ["read", "approve"], scoped: ["read"] };
    const { json } = await api.get("/api/v1/openapi.json");
    for (const [path, operations] of Object.entries<Record<string, { description: string }>>(json.paths))
      for (const [method, { description }] of Object.entries(operations)) {
        const right = /right `([^`]+)`/.exec(description)?.[1];
        for (const [who, rights] of Object.entries(granted)) {
          if (right === undefined || rights.includes(right)) continue;
          const url = `${api.server.url}${path.replaceAll(/\{[a-z_0-9]+\}/g, "x")}`;
          const { status } = await fetch(url, { method: method.toUpperCase(), headers: as(who) });
          expect([who, method, path, status]).toEqual([who, method, path, 403]);
        }
      }
  });

  test("an order may not ask for more than its submitter has, whatever it says", async () => {
    const done = await api.post("/api/v1/flows", order(), { ...as("operator"), prefer: "wait=20" });
    expect(done.json.status).toBe("success");
    const started = await api.get(`/api/v1/sessions/${done.json.session_id}`, as("viewer"));
    expect(started.json.start).toMatchObject({ caller_id: "omar@corp", authenticated_by: "api_key" });
  });

  test("what an order came to is not told to somebody who could not have submitted it", async () => {
    const withTool = { tool_permissions: ["echo"], budget: { token_limit: 5000, turn_limit: 4, timeout_seconds: 60 } };
    const asked = { work_order: workOrder({ ...withTool, idempotency_key: "payroll-november" }) };
    const done = await api.post("/api/v1/flows", asked, { ...as("operator"), prefer: "wait=20" });
    expect(done.json).toMatchObject({ status: "success", response: expect.stringContaining("Ada") });
    const again = await api.post("/api/v1/flows", asked, { ...as("operator"), prefer: "wait=20" });
    expect(again.json).toMatchObject({ deduplicated: true, response: done.json.response });
    const curious = await api.post("/api/v1/flows", asked, { ...as("speaker"), prefer: "wait=20" });
    expect(curious).toMatchObject({ status: 403, json: { code: "GATE_DENIED" } });
    expect(curious.text).toContain('do not grant \\"tool:echo\\"');
    expect(curious.text).not.toContain(done.json.session_id);
  });

  test("a key that one caller uses is free to every other, and tells nobody that it is in use", async () => {
    const ask = (prompt: string, name: string) =>
      api.post(
        "/api/v1/flows",
        { work_order: workOrder({ input: { prompt }, idempotency_key: "monthly" }) },
        {
          ...as(name),
          prefer: "wait=20",
        },
      );
    const mine = await ask("Say hello to Ada", "operator");
    const theirs = await ask("Say hello to Bob", "speaker");
    expect([mine.json.status, theirs.json.status]).toEqual(["success", "success"]);
    expect(theirs.json.session_id).not.toBe(mine.json.session_id);
    expect(await ask("Say hello to Ada", "operator")).toMatchObject({ json: { session_id: mine.json.session_id } });
    expect((await ask("Say hello to Bob", "operator")).json).toMatchObject({ code: "WORK_ORDER_INVALID" });
  });

  test("an order's acceptance runs no program for somebody who may run none", async () => {
    const asked = (acceptance: object) => ({ work_order: workOrder({ acceptance }) });
    const wait = { ...as("speaker"), prefer: "wait=20" };
    expect((await api.post("/api/v1/flows", asked({ tests: [], checks: [] }), wait)).json.status).toBe("success");
    for (const acceptance of [{ tests: ["cat writ.yaml"] }, { tests: [], checks: [{ name: "c", command: ["id"] }] }])
      expect((await api.post("/api/v1/flows", asked(acceptance), wait)).json).toMatchObject({
        status: "rejected",
        error_code: "NOT_AUTHORIZED",
        error: expect.stringContaining("its acceptance runs programs"),
      });
  });

  test("development mode does not exist over the network, in the body or in the order", async () => {
    for (const body of [
      { ...order(), dev_mode: true },
      { ...order(), caller_id: "root@corp" },
    ])
      expect(await api.post("/api/v1/flows", body, as("operator"))).toMatchObject({
        status: 422,
        json: { code: "SCHEMA_VIOLATION" },
      });
    const smuggled = await api.post(
      "/api/v1/flows",
      { work_order: workOrder({ dev_mode: true }) },
      { ...as("operator"), prefer: "wait=20" },
    );
    const session = smuggled.json.session_id
      ? await api.get(`/api/v1/sessions/${smuggled.json.session_id}`, as("viewer"))
      : undefined;
    expect(session?.json.start.dev_mode ?? false).toBe(false);
  });

  test("keys are made and taken back by administrators, shown once, and each act is an event", async () => {
    const made = await api.post("/api/v1/keys", { caller_id: "vera@corp", note: "test" }, as("admin"));
    expect(made).toMatchObject({
      status: 201,
      json: { key: expect.stringMatching(/^writkey_/), caller_id: "vera@corp" },
    });
    expect((await api.get("/api/v1/sessions", { authorization: `Bearer ${made.json.key}` })).status).toBe(200);
    const gone = await fetch(`${api.server.url}/api/v1/keys/${made.json.key_id}`, {
      method: "DELETE",
      headers: as("admin"),
    });
    expect(gone.status).toBe(200);
    expect((await api.get("/api/v1/sessions", { authorization: `Bearer ${made.json.key}` })).status).toBe(401);
    const listed = await api.get("/api/v1/keys", as("admin"));
    expect(listed.text).not.toContain(made.json.key);
    expect(listed.text).not.toContain("key_sha256");
    const acts: string[] = [];
    for await (const info of api.workspace.runtime.log.list())
      if (info.ok && info.value.tier === "hot")
        for await (const event of api.workspace.runtime.log.read(info.value.session_id))
          if (event.ok) acts.push(event.value.type);
    expect(acts).toEqual(expect.arrayContaining(["key.created", "key.revoked"]));
  });
});

describe("browsers and their pages", () => {
  test.for([
    ["another host (rebinding)", { host: "evil.example:80" }],
    ["a host without its port", { host: "localhost" }],
  ] as const)("%s is misdirected", async ([, { host: named }]) => {
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: ${named}\r\nConnection: close\r\n\r\n`)).toContain("421");
  });
  test("another origin is refused, whatever it asks, and gets no CORS header", async () => {
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      const refused = await api.post(
        "/api/v1/flows",
        { work_order: workOrder() },
        { ...as("operator"), ...(headers as Record<string, string>) },
      );
      expect(refused.status).toBe(403);
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    }
    const preflight = await fetch(`${api.server.url}/api/v1/flows`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example" },
    });
    expect(preflight.status).toBe(403);
  });
  test("forms and text cannot be sent, and answers are no pages", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
      expect(
        (await api.post("/api/v1/flows", '{"work_order":{}}', { ...as("operator"), "content-type": type })).status,
      ).toBe(415);
    const { headers } = await api.get("/api/v1/sessions", as("viewer"));
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("bytes that nobody should send", () => {
  test.for([
    "/../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2fetc%2fpasswd",
    "/assets/../../package.json",
    "//etc/passwd",
    "/\\..\\..\\etc\\passwd",
    "/%00",
    "/index.html%00.png",
  ])("the path %s leads nowhere", async (path) => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`);
    expect(answer).not.toContain("root:");
    expect(answer).toMatch(/^HTTP\/1\.1 (40[04]|421)/);
  });
  test.for([
    ["../../etc/passwd", 404],
    ["..%2f..%2fplanes", 404],
    ["SES-20261115-../../x", 404],
    ["x".repeat(400), 400],
  ] as const)("the session id %s is no path", async ([id, status]) => {
    expect((await api.get(`/api/v1/sessions/${id}/events`, as("viewer"))).status).toBe(status);
  });
  test.for([
    ["too deep", "[".repeat(5000) + "]".repeat(5000), 400],
    ["deep objects", `${'{"a":'.repeat(600)}1${"}".repeat(600)}`, 400],
    ["a doubled key", '{"work_order":{},"work_order":{}}', 400],
    ["a prototype", '{"__proto__":{"x":1},"work_order":{}}', 400],
    ["cut off", '{"work_order":', 400],
    ["no object", "7", 422],
    ["too large", JSON.stringify({ work_order: { x: "y".repeat(100_000) } }), 413],
    ["a lone surrogate", '{"work_order":{"a":"\\ud800"}}', 400],
    ["a number beyond", '{"work_order":{"a":1e999}}', 400],
  ] as const)("a body that is %s is refused", async ([, body, status]) => {
    expect((await api.post("/api/v1/flows", body, as("operator"))).status).toBe(status);
  });
  test("headers cannot be injected, through answers or into them", async () => {
    const split = await raw(
      `GET /api/v1/sessions/x%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${keys["viewer"]}\r\nConnection: close\r\n\r\n`,
    );
    expect(split).not.toMatch(/^set-cookie/im);
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: ${host()}\r\nX: a\rb\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400/);
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: ${host()}\r\nX: ${"y".repeat(40_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431/,
    );
    expect(
      await raw(
        `POST /api/v1/flows HTTP/1.1\r\nHost: ${host()}\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 400/);
    expect(await raw("nonsense\r\n\r\n")).toMatch(/^HTTP\/1\.1 400/);
    expect(
      (await api.post("/api/v1/requests", { prompt: "x" }, { ...as("operator"), "idempotency-key": "a b" })).status,
    ).toBe(400);
  });
});

test("slow clients hold up nobody: headers that trickle and a stream that nobody reads", async () => {
  const slow = Array.from({ length: 50 }, () =>
    connect(api.server.port, "127.0.0.1", function (this: import("node:net").Socket) {
      this.write(`GET /healthz HTTP/1.1\r\nHost: ${host()}\r\n`);
    }),
  );
  const listed = await api.get("/api/v1/sessions?limit=1", as("viewer"));
  const id = listed.json.sessions[0].session_id;
  const deaf = Array.from({ length: 20 }, () => {
    const socket = connect(api.server.port, "127.0.0.1", () =>
      socket.write(
        `GET /api/v1/sessions/${id}/stream HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${keys["viewer"]}\r\n\r\n`,
      ),
    );
    return socket.pause();
  });
  for (let n = 0; n < 20; n++) expect((await api.get("/healthz")).status).toBe(200);
  for (const socket of [...slow, ...deaf]) socket.destroy();
});

test("streams are counted however they are opened, and the head of one is none", async () => {
  await using small = await testServer({ limits: { maxStreams: 2 } });
  const head = await fetch(`${small.server.url}/api/v1/stream`, { method: "HEAD" });
  expect(head.status).toBe(405);
  const abort = new AbortController();
  const streams = [1, 2].map(() => fetch(`${small.server.url}/api/v1/stream`, { signal: abort.signal }));
  for (const stream of streams) expect((await stream).status).toBe(200);
  expect((await small.get("/api/v1/stream")).status).toBe(503);
  const accept = { accept: "application/json, text/event-stream" };
  const asked = await small.post("/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, accept);
  expect([asked.status, asked.headers.get("retry-after")]).toEqual([503, "5"]);
  abort.abort();
  await expect.poll(async () => (await small.get("/metrics")).text).toMatch(/^writ_[a-z_]*streams[a-z_]* 0$/m);
});

test("too many requests are told to wait", async () => {
  await using small = await testServer({ limits: { requestsPerSecond: 1, burst: 3 } });
  const answers = await Promise.all(Array.from({ length: 6 }, () => small.get("/healthz")));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
});

test("what the database said is told to nobody outside, with a key or without; the server's own log has it", async () => {
  const said = "connect ECONNREFUSED 10.0.0.5:5432";
  await using broken = await testServer({
    authenticator: {
      byKey: async () => err(domainError("STORE_UNAVAILABLE", said, { details: { host: "10.0.0.5" } })),
    },
  });
  const told = await broken.get("/api/v1/sessions", { authorization: "Bearer writkey_of_nobody" });
  expect(told).toMatchObject({ status: 503, json: { code: "STORE_UNAVAILABLE", retryable: true, details: {} } });
  expect(told.headers.get("retry-after")).toBe("1");
  expect(told.text).not.toContain("10.0.0.5");
  expect(told.json.detail).toContain(told.json.request_id);
  expect(broken.problems).toEqual([`${told.json.request_id}: ${said}`]);
});

test("beyond this machine nothing starts without a key, and nothing asks for fewer", async () => {
  built();
  const cwd = api.workspace.root;
  expect((await writ(["up", "--host", "0.0.0.0"], { cwd })).status).toBe(2); // there is no such option
  await using fresh = await testServer();
  const refused = await writ(["serve", "--host", "0.0.0.0", "--port", "0"], { cwd: fresh.workspace.root });
  expect(refused.status).toBe(3);
  expect(refused.stderr).toContain("writ key create");
});

test("nothing of all this broke the server", async () => {
  expect(api.problems).toEqual([]);
  expect((await api.get("/healthz")).status).toBe(200);
});
