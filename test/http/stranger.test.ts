// The API as a stranger meets it, who has its own description and nothing else.
import { createHash } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Documents } from "#runs";
import { workOrder } from "../support/runtime-workspace.ts";
import { type Answer, type TestServer, testServer } from "../support/server.ts";

const unknownSession = "SES-20261115-00000000000000000000";

let api: TestServer;
let session: string;
let documents: Documents;
let events: number;
beforeAll(async () => {
  api = await testServer({
    files: {
      "hooks/ask.mjs":
        'export default ({ args }) => (args.text === "news" ? { decision: "ask", reason: "who asks?" } : { decision: "allow" });\n',
    },
    config: {
      hooks: { PreToolUse: [{ matcher: "echo", hooks: [{ type: "module", module: "hooks/ask.mjs" }] }] },
      identity: { callers: { "ada@corp": { roles: ["operator"] } } },
    },
    rules: [
      {
        when: { role: "worker", call: 1, prompt: "news" },
        respond: { tool_calls: [{ name: "echo", args: { text: "news" } }] },
      },
    ],
    kernelSeen(kernel) {
      documents = kernel.documents;
      return kernel;
    },
  });
  const done = await api.post("/api/v1/requests", { prompt: "greet Ada" }, { prefer: "wait=30" });
  session = done.json.session_id;
  events = (await api.get(`/api/v1/sessions/${session}`)).json.info.events;
});
afterAll(() => api[Symbol.asyncDispose]());

/** Objects of which nobody can know what is in them. */
function thinIn(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => thinIn(each, `${where}/${index}`));
  if (typeof value !== "object" || value === null) return [];
  const { type, properties, description } = value as { type?: unknown; properties?: unknown; description?: unknown };
  const isThin = (type === "object" && !properties && !description) || (type === "array" && !("items" in value));
  return [
    ...(isThin ? [where] : []),
    ...Object.entries(value).flatMap(([name, each]) => thinIn(each, `${where}/${name}`)),
  ];
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

const ask = (path: string, init: RequestInit) => fetch(`${api.server.url}${path}`, init);

describe("what the description promises", () => {
  test("is what comes: every answer has a status, a media type and a shape that it names", async () => {
    const { json: description } = await api.get("/api/v1/openapi.json");
    const run = await api.post("/api/v1/runs", { app_id: "writer", objective: "a page" });
    const { run_id } = run.json.run;
    const waits = await api.post("/api/v1/requests", { prompt: "greet the news" }, { prefer: "wait=30" });
    const asked = (await api.get(`/api/v1/approvals?session=${waits.json.session_id}`)).json.approvals[0];
    const order = (await api.get(`/api/v1/sessions`)).json.sessions[0].work_order_id;
    const names: Record<string, string> = {
      session_id: session,
      run_id,
      work_order_id: order,
      schema_id: "event_v1",
      cycle_id: "code-review",
      approval_id: asked.approval_id,
      revision_id: "none",
      sha256: "0".repeat(64),
    };
    const wrong: string[] = [];
    const judge = judgeBy(description, wrong);
    const at = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "none");
    const posted = async (path: string, body?: object, headers = {}): Promise<Answer> => {
      const answer = await api.post(at(path), body, headers);
      judge("post", path, answer);
      return answer;
    };
    const deleted = async (path: string): Promise<void> =>
      judge("delete", path, await answerOf(await ask(at(path), { method: "DELETE" })));

    judge("post", "/api/v1/runs", run);
    const ops = [{ op: "section.insert", after: null, heading: "Ada", body: "was here" }];
    await posted("/api/v1/runs/{run_id}/patches", { base_revision_id: null, ops });
    const key = await posted("/api/v1/keys", { caller_id: "ada@corp", scope: ["read"], note: "laptop" });
    expect(key.status).toBe(201);
    names["key_id"] = key.json.key_id;
    await posted("/api/v1/sessions/{session_id}/halt", { reason: "drill" });
    await posted("/api/v1/halts", { reason: "drill" });

    const isStream = (path: string) => "text/event-stream" in description.paths[path].get.responses[200].content;
    const read = Object.keys(description.paths).filter((path) => description.paths[path].get && !isStream(path));
    for (const path of read) {
      judge(
        "get",
        path,
        await api.get(path.endsWith("/diff") ? `${at(path)}?with=${waits.json.session_id}` : at(path)),
      );
      judge("get", path, await api.get(`${at(path)}?no_such=1`));
    }

    await deleted("/api/v1/halts");
    await deleted("/api/v1/sessions/{session_id}/halt");
    await deleted("/api/v1/keys/{key_id}");
    for (const act of ["pause", "continue", "cancel"]) await posted(`/api/v1/runs/{run_id}/${act}`, {});
    await posted("/api/v1/requests", { prompt: "greet Bo" }, { prefer: "wait=30" });
    await posted("/api/v1/requests", { prompt: "greet Cy" });
    await posted("/api/v1/requests", { prompt: "" });
    await posted("/api/v1/workflows/{cycle_id}/runs", { prompt: "review it" });
    for (const path of ["/api/v1/flows", "/api/v1/work-orders"])
      await posted(path, { work_order: workOrder() }, { prefer: "wait=30" });
    await posted("/api/v1/sessions/{session_id}/fork", { at: 20 }, { prefer: "wait=30" });
    await posted("/api/v1/sessions/{session_id}/resume");
    await posted("/api/v1/policies/backtest", { policy: "severity-gate" });
    const decision = { choice: "deny", subject_hash: asked.subject_hash };
    expect((await posted("/api/v1/approvals/{approval_id}/decision", decision)).status).toBe(200);
    expect(wrong).toEqual([]);
  });

  test("is more than that something comes: whatever is an object has its fields named, or is told in words", async () => {
    const { json: description } = await api.get("/api/v1/openapi.json");
    const thin = thinIn(description.paths, "");
    expect(thin).toEqual([]);
    expect(thinIn({ schema: { type: "array", items: { type: "object" } } }, "")).toEqual(["/schema/items"]);
  });

  test("names the headers that a request may have", async () => {
    const { json } = await api.get("/api/v1/openapi.json");
    const headersOf = (path: string, method: string) =>
      json.paths[path][method].parameters
        .filter((parameter: { in: string }) => parameter.in === "header")
        .map(({ name }: { name: string }) => name);
    expect(headersOf("/api/v1/sessions/{session_id}/stream", "get")).toEqual(["Last-Event-ID"]);
    expect(headersOf("/api/v1/runs/{run_id}/stream", "get")).toEqual(["Last-Event-ID"]);
    expect(headersOf("/api/v1/requests", "post")).toEqual(["Prefer", "Idempotency-Key"]);
    const find = json.paths["/api/v1/sessions/{session_id}/events"].get.parameters.find(
      ({ name }: { name: string }) => name === "find",
    );
    expect(find.schema.maxLength).toBe(4096);
  });
});

describe("a stranger's mistake is named", () => {
  test("another method than a path has is answered with those it has", async () => {
    const methods = [
      ["PUT", "/api/v1/sessions", "GET, HEAD"],
      ["OPTIONS", "/api/v1/halts", "GET, HEAD, POST, DELETE"],
      ["DELETE", `/api/v1/sessions/${session}`, "GET, HEAD"],
      ["GET", `/api/v1/sessions/${session}/fork`, "POST"],
      ["HEAD", `/api/v1/sessions/${session}/stream`, "GET"],
    ] as const;
    for (const [method, path, allow] of methods) {
      const answer = await ask(path, { method });
      expect([method, path, answer.status, answer.headers.get("allow")]).toEqual([method, path, 405, allow]);
    }
    const refused = await ask("/api/v1/sessions", { method: "PUT" });
    expect(await refused.json()).toMatchObject({ code: "METHOD_NOT_ALLOWED", detail: expect.stringContaining("GET") });
    expect((await ask("/api/v1/nothing", { method: "PUT" })).status).toBe(404);
  });

  test("text that is no UTF-8, another charset and a packed body are refused, not guessed at", async () => {
    const send = (body: Uint8Array, headers: Record<string, string>) =>
      ask("/api/v1/requests", { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
    const broken = await send(Buffer.from('{"prompt":"caf\xe9"}', "latin1"), {});
    expect([broken.status, await broken.json()]).toMatchObject([400, { detail: expect.stringContaining("UTF-8") }]);
    const good = Buffer.from('{"prompt":"greet Dan"}');
    expect((await send(good, { "content-type": "application/json; charset=iso-8859-1" })).status).toBe(415);
    expect((await send(good, { "content-encoding": "gzip" })).status).toBe(415);
    expect((await send(good, { "content-type": "Application/JSON; Charset=UTF-8" })).status).toBe(202);
  });

  test("a session that nobody knows is not halted, not proven and says nothing", async () => {
    expect(await api.post(`/api/v1/sessions/${unknownSession}/halt`, { reason: "stop!" })).toMatchObject({
      status: 404,
      json: { code: "NOT_FOUND" },
    });
    expect((await api.get("/api/v1/halts")).json.halts).toEqual([]);
    expect((await api.get(`/api/v1/sessions/${unknownSession}/text`)).status).toBe(404);
    expect((await api.get(`/api/v1/sessions/${unknownSession}/proof`)).json.detail).toContain("there is no session");
  });

  test("a comparison with nothing, a condition that is none, and a name that is too long", async () => {
    expect(await api.get(`/api/v1/sessions/${session}/diff`)).toMatchObject({
      status: 400,
      json: { detail: '"with" is needed: The other session.' },
    });
    for (const find of ["1", "gate", "payload", '"deny"'])
      expect(await api.get(`/api/v1/sessions/${session}/events?find=${encodeURIComponent(find)}`), find).toMatchObject({
        status: 400,
        json: { detail: expect.stringContaining("true or false") },
      });
    // What an event does not have decides nothing for it.
    expect((await api.get(`/api/v1/sessions/${session}/events?find=payload.none`)).json.events).toEqual([]);
    expect(await api.get(`/api/v1/sessions/${"x".repeat(300)}`)).toMatchObject({
      status: 400,
      json: { detail: "a part of the path is longer than any name here" },
    });
  });

  test("a key is shown with the scheme in any case", async () => {
    const none = await api.get("/api/v1/whoami", { authorization: "bearer writkey_nobody_has_this_one" });
    expect(none.json.detail).toContain("unknown, expired or revoked");
  });
});

describe("whoever comes back", () => {
  test("after the last event of a session that has ended is told its end", async () => {
    const stream = `/api/v1/sessions/${session}/stream`;
    const last = await api.events(stream, 1, { "last-event-id": String(events) });
    expect(last).toMatchObject([{ event: "end" }]);
  });

  test("after an event that never was is told so, and holds up nobody else", async () => {
    const stream = `/api/v1/sessions/${session}/stream`;
    const others = api.events(stream, 1000, { "last-event-id": String(events - 1) });
    const [told] = await api.events(stream, 1, { "last-event-id": "999999" });
    expect(told).toMatchObject({ event: "error", data: { code: "MALFORMED_INPUT" } });
    expect((await others).map(({ event }) => event)).toEqual(["event", "end"]);
  });

  test("with a page's cursor goes on behind it, also when its session is no longer among the wanted", async () => {
    const greeted = async (name: string): Promise<string> => {
      await api.post("/api/v1/requests", { prompt: `greet ${name}` }, { prefer: "wait=30" });
      await expect.poll(async () => (await api.get(`/api/v1/sessions?q=${name}`)).json.total).toBe(1);
      return (await api.get(`/api/v1/sessions?q=${name}`)).json.sessions[0].session_id;
    };
    const [fay, eli] = [await greeted("Fay"), await greeted("Eli")];
    const after = async (cursor: string, q: string) =>
      (await api.get(`/api/v1/sessions?q=${q}&after=${cursor}`)).json.sessions.map(
        ({ session_id }: { session_id: string }) => session_id,
      );
    expect(await after(eli, "Fay")).toEqual([fay]);
    expect(await after(fay, "Eli")).toEqual([]);
    expect(await api.get("/api/v1/sessions?after=zzz")).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining("zzz") },
    });
  });

  test("with what it has already is spared the bytes", async () => {
    const words = "a document\n";
    const sha256 = createHash("sha256").update(words).digest("hex");
    await documents.put(Buffer.from(words));
    const path = `/api/v1/documents/${sha256}`;
    const whole = await api.get(path);
    expect([whole.text, whole.headers.get("etag")]).toEqual([words, `"${sha256}"`]);
    for (const held of [`"${sha256}"`, `W/"${sha256}"`, `"other", "${sha256}"`, "*"]) {
      const answer = await api.get(path, { "if-none-match": held });
      expect([held, answer.status, answer.text, answer.headers.get("etag")]).toEqual([held, 304, "", `"${sha256}"`]);
    }
    expect((await api.get(path, { "if-none-match": '"other"' })).status).toBe(200);
  });
});

test("a stream that ends with its server is not told that nothing more will come", async () => {
  const ending = await testServer();
  const told: string[] = [];
  let isThere = () => {};
  const there = new Promise<void>((resolve) => {
    isThere = resolve;
  });
  const watching = ending.events("/api/v1/stream", 10, {}, ({ event }) => {
    told.push(event);
    isThere();
  });
  await there;
  await ending[Symbol.asyncDispose]();
  await watching.catch(() => undefined); // cut off, or ended by the server: both say "ask again"
  expect(told).toEqual(["ready"]);
});

interface Description {
  readonly paths: Record<
    string,
    Record<string, { readonly responses: Record<string, { readonly content?: Record<string, { schema?: object }> }> }>
  >;
}

/** Whatever says its fields, with no others: what comes and is not described would be noticed by nobody. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const all = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]));
  return value && "properties" in value && "type" in value ? { ...all, additionalProperties: false } : all;
}

/** Judges answers by the description, and notes what does not fit. */
function judgeBy(description: Description, wrong: string[]) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "description", ...description, paths: closed(description.paths) });
  const step = (name: string) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
  return (method: "get" | "post" | "delete", path: string, { status, headers, json }: Answer): void => {
    const responses = description.paths[path]?.[method]?.responses ?? {};
    const named = String(status) in responses ? String(status) : "default";
    const type = headers.get("content-type")?.split(";")[0] ?? "";
    const what = `${method} ${path} ${status} ${type}`;
    const content = responses[named]?.content?.[type];
    if (!content || (named === "default" && status < 400)) wrong.push(`${what}: not described`);
    else if (content.schema) {
      const at = ["paths", path, method, "responses", named, "content", type, "schema"].map(step).join("/");
      const fits = ajv.compile({ $ref: `description#/${at}` });
      if (!fits(json)) wrong.push(`${what}: ${ajv.errorsText(fits.errors)}`);
    }
  };
}
