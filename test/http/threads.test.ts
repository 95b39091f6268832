// Conversations over HTTP, with a model server that streams as real ones do.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Frame, type TestServer, testServer } from "../support/server.ts";
import { type FakeVendor, fakeVendor } from "../support/vendors/vendor-server.ts";
import { calling, sentTo, wordsOf } from "../support/with-model.ts";

let vendor: FakeVendor;
let api: TestServer;
const keys: Record<string, Record<string, string>> = {};
const waiting = { prefer: "wait=30" };

beforeAll(async () => {
  vendor = await fakeVendor("openai-compatible");
  api = await testServer({
    keysOnly: true,
    files: { "notes.md": "the key is under the mat\n" },
    config: {
      provider: "openai-compatible",
      base_url: vendor.baseUrl,
      model: "small-1",
      retries: { attempts: 2, first_delay_ms: 1, max_delay_ms: 1 },
      identity: {
        callers: {
          "omar@corp": { roles: ["operator"] },
          "olga@corp": { roles: ["operator"] },
          "vera@corp": { roles: ["viewer"] },
        },
      },
    },
  });
  const admin = { id: "root", roles: [], grants: ["*"], authenticatedBy: "local" } as const;
  for (const name of ["omar", "olga", "vera"]) {
    const made = await api.workspace.runtime.keys.create(admin, { caller_id: `${name}@corp` });
    if (!made.ok) throw new Error(made.error.message);
    keys[name] = { authorization: `Bearer ${made.value.key}` };
  }
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const as = (name: string, more: Record<string, string> = {}) => ({ ...keys[name], ...more });
const begin = async (body: object, headers = as("omar", waiting)) => {
  const done = await api.post("/api/v1/threads", body, headers);
  return { ...done, thread_id: `THR-${String(done.json?.session_id).slice(4)}` };
};

class Over extends Error {}

/** Frames of a stream until one of them is the last that is wanted. */
async function follow(path: string, headers: Record<string, string>, isLast: (frame: Frame) => boolean) {
  const frames: Frame[] = [];
  await api
    .events(path, Number.POSITIVE_INFINITY, headers, (frame) => {
      frames.push(frame);
      if (isLast(frame)) throw new Over();
    })
    .catch((thrown: unknown) => {
      if (!(thrown instanceof Over)) throw thrown;
    });
  return frames;
}

/** What comes of a message while its thread is followed. */
async function followed(thread_id: string, body: object) {
  const before = (await api.get(`/api/v1/threads/${thread_id}`, as("vera"))).json.length as number;
  let ends = 0;
  const frames = await follow(`/api/v1/threads/${thread_id}/stream`, as("vera"), ({ data }) => {
    if (data.type !== "end") return false;
    ends += 1;
    if (ends === before) void api.post(`/api/v1/threads/${thread_id}/messages`, body, as("omar"));
    return ends > before;
  });
  const past = frames.filter(({ data }) => data.type === "end")[before - 1];
  return { frames, fresh: frames.slice(frames.indexOf(past as Frame) + 1) };
}

test("a thread is begun, gone on with and read; what it was sent it was sent once", async () => {
  vendor.will(calling("fs.read", { path: "notes.md" }), { text: "Under the mat." }, { text: "Nothing else." });
  const first = await begin({ text: "Where is the key?" });
  expect(first).toMatchObject({ status: 200, json: { status: "success", response: "Under the mat." } });
  const accepted = await api.post(
    `/api/v1/threads/${first.thread_id}/messages`,
    { text: "Anything else?" },
    as("omar", { "idempotency-key": "second" }),
  );
  expect(accepted).toMatchObject({
    status: 202,
    json: { thread_id: first.thread_id, state: "begun", session_id: expect.stringMatching(/^SES-/) },
  });
  const repeated = await api.post(
    `/api/v1/threads/${first.thread_id}/messages`,
    { text: "Anything else?" },
    as("omar", { "idempotency-key": "second", ...waiting }),
  );
  expect(repeated.json.session_id).toBe(accepted.json.session_id);
  await expect
    .poll(async () => (await api.get(`/api/v1/threads/${first.thread_id}`, as("vera"))).json)
    .toMatchObject({
      length: 2,
      messages: [
        { text: "Where is the key?", answer: "Under the mat.", state: "ended", by: "omar@corp" },
        { text: "Anything else?", answer: "Nothing else.", state: "ended", session_id: accepted.json.session_id },
      ],
    });
  const requests = sentTo(vendor).map(({ messages }) => messages.map((message) => JSON.stringify(message)));
  expect(requests).toHaveLength(3);
  expect(requests[2]?.slice(0, requests[1]?.length)).toEqual(requests[1]);
  const { threads } = (await api.get("/api/v1/threads?limit=1", as("vera"))).json;
  expect(threads).toMatchObject([{ thread_id: first.thread_id, position: 2 }]);
});

test("the stream has typed parts: pieces as they arrive, the rest once and with a number, which a client comes back with", async () => {
  vendor.will({ text: "Hello." });
  const { thread_id } = await begin({ text: "Are you there?" });
  const stream = `/api/v1/threads/${thread_id}/stream`;
  const text = "It is under the mat, as every day, where nobody would ever look for it.";
  vendor.will(calling("fs.read", { path: "notes.md" }), { text });
  const { frames: seen } = await followed(thread_id, { text: "Where is the key?" });
  expect(seen.every(({ event }) => event === "part")).toBe(true);
  const recorded = seen.filter(({ id }) => id !== undefined);
  const types = recorded.map(({ data }) => data.type);
  expect(types).toEqual(["text", "end", "call", "result", "text", "end"]);
  const numbers = recorded.map(({ id }) => Number(id));
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
  const pieces = seen.filter(({ id, data }) => id === undefined && data.type === "text");
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.map(({ data }) => data.text).join("")).toBe(text);

  // Who comes back gets the rest, and nothing twice.
  const [, firstEnd] = numbers;
  const rest = await api.events(stream, 4, as("vera", { "last-event-id": String(firstEnd) }));
  expect(rest.map(({ data }) => data.type)).toEqual(["call", "result", "text", "end"]);
  expect(rest[2]?.data).toMatchObject({ text, whole: true });
  const whole = await api.events(`${stream}?after=0`, 6, as("vera"));
  expect(whole.map(({ data }) => data.type)).toEqual(types);
  expect(whole.slice(2).map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
});

test("a broken answer begins again in the stream, and what roles say to each other is in no stream", async () => {
  vendor.will({ text: "Hello." });
  const { thread_id } = await begin({ text: "Are you there?" });
  const json = (value: object) => ({ text: JSON.stringify({ ...value, schema_version: "v1" }) });
  vendor.will({ half: { text: "It is under the rug." }, then: "reset" }, { text: "It is under the mat." });
  const broken = (await followed(thread_id, { text: "Where is the key?" })).fresh.map(({ data }) => data);
  const at = broken.findIndex(({ type }) => type === "restart");
  expect(at).toBeGreaterThan(0);
  const pieces = broken.slice(at).filter(({ type, whole }) => type === "text" && whole !== true);
  expect(pieces.map(({ text }) => text).join("")).toBe("It is under the mat.");

  vendor.will(
    json({ intent: "say it", constraints: [], needs_advisor: false }),
    json({ steps: [{ id: "s1", description: "say it", depends_on: [] }], risks: [], needs_advisor: false }),
    json({ output: "It is said.", steps_completed: ["s1"], tool_calls_made: [] }),
    json({ verdict: "pass", feedback: "it is" }),
  );
  const said = await followed(thread_id, { text: "Say it together", strategy: "plan-work-review" });
  const roles = said.fresh.map(({ data }) => data);
  const texts = roles.filter(({ type }) => type === "text").map(({ text }) => String(text));
  expect(texts.join("")).toContain("It is said.");
  expect(texts.join("")).not.toMatch(/[{}]|schema_version|intent/);
});

test("files go with a message, and what is no file of a model is refused before an order begins", async () => {
  vendor.will({ text: "A note." });
  const data = (text: string | Buffer) => Buffer.from(text).toString("base64");
  const first = await begin({ text: "What is it?", attachments: [{ name: "note.md", data: data("buy milk") }] });
  expect(first).toMatchObject({ status: 200, json: { response: "A note." } });
  expect(wordsOf(sentTo(vendor).at(-1))).toContain("buy milk");
  const { json } = await api.get(`/api/v1/threads/${first.thread_id}`, as("vera"));
  expect(json.messages).toMatchObject([{ attachments: [{ name: "note.md", media_type: "text/plain", bytes: 8 }] }]);
  const count = vendor.requests.length;
  const send = async (attachments: object[]) => {
    const refused = await api.post("/api/v1/threads", { text: "And this?", attachments }, as("omar"));
    return [refused.status, refused.json.code];
  };
  expect(await send([{ name: "a.bin", data: data(Buffer.from([0, 1, 2])) }])).toEqual([415, "WRONG_MEDIA_TYPE"]);
  expect(await send([{ name: "a.txt", data: "not base64!" }])).toEqual([422, "SCHEMA_VIOLATION"]);
  expect(await send(Array.from({ length: 17 }, () => ({ name: "a", data: data("a") })))).toEqual([
    422,
    "SCHEMA_VIOLATION",
  ]);
  expect(vendor.requests).toHaveLength(count);
});

test("an earlier point begins a thread of its own; what is not there, or not theirs to do, is refused", async () => {
  vendor.will({ text: "one" }, { text: "two" }, { text: "three" });
  const first = await begin({ text: "say one" });
  const path = `/api/v1/threads/${first.thread_id}/messages`;
  expect((await api.post(path, { text: "say two" }, as("olga", waiting))).json).toMatchObject({ response: "two" });
  const branch = await begin({ text: "say three", continues: first.json.session_id });
  expect(branch.json).toMatchObject({ response: "three" });
  const said = sentTo(vendor).at(-1)?.messages.slice(1);
  expect(said?.map(({ content }) => content)).toEqual(["say one", "one", "say three"]);
  expect((await api.get(`/api/v1/threads/${first.thread_id}`, as("vera"))).json.length).toBe(2);

  const nowhere = "THR-20261115-00000000000000000000";
  const refusals = [
    await api.post(path, { text: "mine too" }, as("vera")),
    await api.post(path, { text: "mine too" }),
    await api.post(path, { text: "" }, as("omar")),
    await api.post(path, { text: "x", dev_mode: true }, as("omar")),
    await api.post("/api/v1/threads", { text: "x", continues: "SES-20261115-00000000000000000000" }, as("omar")),
    await api.post(`/api/v1/threads/${nowhere}/messages`, { text: "x" }, as("omar")),
    await api.get(`/api/v1/threads/${nowhere}`, as("vera")),
    await api.get(`/api/v1/threads/${nowhere}/stream`, as("vera")),
  ];
  expect(refusals.map(({ status, json }) => [status, json?.code])).toEqual([
    [403, "NOT_AUTHORIZED"],
    [401, "NOT_AUTHENTICATED"],
    [422, "SCHEMA_VIOLATION"],
    [422, "SCHEMA_VIOLATION"],
    [404, "NOT_FOUND"],
    [404, "NOT_FOUND"],
    [404, "NOT_FOUND"],
    [404, "NOT_FOUND"],
  ]);
});
