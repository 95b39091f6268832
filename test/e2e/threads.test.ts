// A conversation as a person has it, with a model over HTTP that answers as real ones do.
import { expect, test } from "vitest";
import type { Event } from "#log";
import type { FakeVendor } from "../support/vendors/vendor-server.ts";
import { calling as call, type Sent, sentTo, withModel } from "../support/with-model.ts";

const sent = (vendor: FakeVendor) => sentTo(vendor).map(({ messages }) => messages);
const startOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "session.start" ? [event.payload] : []))[0];
const newMessages = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === "llm.request" ? event.payload.new_messages.map(({ content }) => content) : [],
  );

test("each message is an order and a session of its own, and goes on with everything that was said, copying none of it", async () => {
  await using bench = await withModel({ files: { "notes.md": "the key is under the mat" } });
  const { vendor, workspace } = bench;
  vendor.will(
    { text: "Paris." },
    call("fs.read", { path: "notes.md" }),
    { text: "Under the mat." },
    { text: "Nothing else." },
  );
  const thread = workspace.runtime.threads.begin();
  const first = await thread.send("What is the capital of France?").result;
  expect(first).toMatchObject({ status: "success", response: "Paris." });
  const second = thread.send("Where is the key? See notes.md");
  expect(await second.accepted).toMatchObject({ ok: true, value: { thread_id: thread.thread_id, state: "begun" } });
  expect(await second.result).toMatchObject({ status: "success", response: "Under the mat." });
  await workspace.reopen(); // another process goes on
  const again = await workspace.runtime.threads.open(thread.thread_id);
  if (!again.ok) throw new Error(again.error.message);
  const third = await again.value.send("Anything else?").result;
  expect(third).toMatchObject({ status: "success", response: "Nothing else." });

  const results = [first, await second.result, third];
  const records = await Promise.all(results.map(({ session_id }) => workspace.events(session_id)));
  expect(new Set(records.map((events) => startOf(events)?.work_order_id)).size).toBe(3);
  expect(records.map((events) => startOf(events)?.thread_position)).toEqual([1, 2, 3]);
  expect(startOf(records[2] ?? [])).toMatchObject({
    thread_id: thread.thread_id,
    continues: (await second.result).session_id,
  });
  expect(startOf(records[2] ?? [])?.conversation_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(newMessages(records[2] ?? [])).toEqual(["Anything else?"]);

  // Request n+1 begins with the bytes of request n.
  const requests = sent(vendor).map((messages) => messages.map((message) => JSON.stringify(message)));
  for (const [index, messages] of requests.slice(1).entries())
    expect(messages.slice(0, requests[index]?.length)).toEqual(requests[index]);
  for (const { session_id } of results)
    expect(await workspace.runtime.verifySession(session_id as never)).toMatchObject({ ok: true });
});

test("the thread is read from its sessions, a request becomes one when it is continued, and an earlier point begins another", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  vendor.will({ text: "one" }, { text: "two" }, { text: "three" });
  const asked = await workspace.ask("say one");
  const { threads } = workspace.runtime;
  const after = async (session_id: unknown) => {
    const found = await threads.after(session_id as never);
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  };
  const thread = await after(asked.session_id);
  const two = await thread.send("say two").result;
  expect(sent(vendor)[1]?.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  expect(await threads.read(thread.thread_id)).toMatchObject({
    ok: true,
    value: {
      length: 2,
      continues: null,
      messages: [
        { text: "say one", answer: "one", status: "success", state: "ended", session_id: asked.session_id },
        { text: "say two", answer: "two", position: 2, session_id: two.session_id },
      ],
    },
  });
  const branch = await after(asked.session_id);
  expect(branch.thread_id).not.toBe(thread.thread_id);
  await branch.send("say three").result;
  expect(
    sent(vendor)[2]
      ?.map(({ content }) => content)
      .slice(1),
  ).toEqual(["say one", "one", "say three"]);
  expect(await threads.read(branch.thread_id)).toMatchObject({ value: { length: 1, continues: asked.session_id } });
  expect((await after(two.session_id)).thread_id).toBe(thread.thread_id);
  expect(await threads.list(10)).toMatchObject({
    value: [{ thread_id: branch.thread_id }, { thread_id: thread.thread_id }],
  });
});

test("a message to a running thread reaches the agent with its next request, and is carried out after it where there is none", async () => {
  await using bench = await withModel({ files: { "notes.md": "a note" } });
  const { vendor, workspace } = bench;
  const { threads } = workspace.runtime;
  const thread = threads.begin();
  const beside: ReturnType<typeof thread.send>[] = [];
  const meanwhile = async (text: string) => {
    const sentNow = thread.send(text);
    beside.push(sentNow);
    expect(await sentNow.accepted).toMatchObject({ ok: true, value: { state: "waiting", session_id: null } });
  };
  vendor.will(
    async () => {
      await meanwhile("and say it in French");
      return call("fs.read", { path: "notes.md" });
    },
    async () => {
      await meanwhile("then say three");
      return { text: "un, deux" };
    },
    { text: "three" },
  );
  const first = thread.send("say one and two");
  const result = await first.result;
  expect(result).toMatchObject({ status: "success", response: "un, deux" });
  expect(await beside[0]?.result).toMatchObject({ session_id: result.session_id, response: "un, deux" });
  const own = await beside[1]?.result;
  expect(own).toMatchObject({ status: "success", response: "three" });
  expect(own?.session_id).not.toBe(result.session_id);
  const requests = sent(vendor).map((messages) =>
    messages.map(({ role, content }) => (role === "user" ? content : role)),
  );
  expect(requests[1]?.at(-1)).toBe("and say it in French");
  expect(requests[2]?.slice(-3)).toEqual(["and say it in French", "assistant", "then say three"]);
  const taken = (await workspace.events(result.session_id)).filter(({ type }) => type === "thread.message");
  expect(taken).toMatchObject([
    { payload: { boundary: 1, text: "and say it in French", by: workspace.runtime.caller } },
  ]);
  expect(await threads.read(thread.thread_id)).toMatchObject({
    value: { length: 2, messages: [{ position: 1 }, { position: 2, text: "then say three" }, { state: "taken" }] },
  });

  const parts: string[] = [];
  for await (const part of first.stream()) parts.push(part.type);
  expect(parts.filter((type) => type !== "text")).toEqual(["call", "result", "message", "end"]);
});

test("a fork of a message has the same conversation behind it, in a thread of its own, and can be gone on with", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  const { threads } = workspace.runtime;
  const thread = threads.begin();
  vendor.will({ text: "one" }, { text: "two" }, { text: "TWO" }, { text: "three" });
  await thread.send("say one").result;
  const two = await thread.send("say two").result;
  const asked = (await workspace.events(two.session_id)).find(({ type }) => type === "llm.request")?.seq ?? 0;
  const forked = await workspace.runtime.forkSession(two.session_id as never, { at: asked - 1, prompt: "say it loud" });
  expect(forked).toMatchObject({ ok: true, value: { status: "success", response: "TWO" } });
  const session_id = forked.ok ? forked.value.session_id : "";
  const start = startOf(await workspace.events(session_id));
  expect(start).toMatchObject({ thread_position: 1, parent_kind: "fork" });
  expect(start?.thread_id).not.toBe(thread.thread_id);
  const after = await threads.after(session_id as never);
  if (!after.ok) throw new Error(after.error.message);
  expect(await after.value.send("say three").result).toMatchObject({ response: "three" });
  const [, , loud, onward] = sent(vendor).map((messages) => messages.slice(1).map(({ content }) => content));
  expect(loud).toEqual(["say one", "one", "say it loud"]);
  expect(onward).toEqual(["say one", "one", "say it loud", "TWO", "say three"]);
  expect((await threads.read(thread.thread_id)).ok).toBe(true);
});

test("a long thread fits the window: old results become lines that name them, then one summary, and the person's words stay", async () => {
  const pages = Array.from({ length: 120 }, (_, index) => `line ${index} of a long page that fills the window\n`).join(
    "",
  );
  await using bench = await withModel({ files: { "page.md": pages }, config: { limits: { context_tokens: 4_000 } } });
  const { vendor, workspace } = bench;
  const { threads } = workspace.runtime;
  const thread = threads.begin();
  const read = call("fs.read", { path: "page.md" });
  const isSummary = (messages: Sent["messages"]) => JSON.stringify(messages[0]).includes("You shorten the middle");
  let asked = 0;
  vendor.will(({ body }) => {
    const { messages } = body as unknown as Sent;
    if (isSummary(messages)) return { text: "The page has 120 lines." };
    asked += 1;
    return asked % 2 === 1
      ? { ...read, calls: [{ ...read.calls[0], id: `call-p${asked}` }] as never }
      : { text: `read, part ${asked}: ${"x".repeat(900)}` };
  });
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const { status, error } = await thread.send(`look at the page, time ${number}`).result;
    expect({ status, error }).toEqual({ status: "success", error: null });
  }
  await workspace.reopen();
  const again = await workspace.runtime.threads.open(thread.thread_id);
  if (!again.ok) throw new Error(again.error.message);
  expect((await again.value.send("look at the page, time 7").result).status).toBe("success");

  const requests = sent(vendor);
  const written = requests.map((messages) => JSON.stringify(messages));
  expect(written.some((text) => text.includes("left out to save room"))).toBe(true);
  expect(requests.filter(isSummary).length).toBeGreaterThan(0);
  const last = written.at(-1) ?? "";
  expect(last).toContain("The page has 120 lines.");
  for (const number of [1, 2, 3, 4, 5, 6, 7]) expect(last.split(`look at the page, time ${number}`)).toHaveLength(2);
  expect(Math.max(...written.map((text) => text.length))).toBeLessThan(4_000 * 4 * 1.5);
});

const decide = async ({ workspace }: Awaited<ReturnType<typeof withModel>>, choice: string, reason: string) => {
  const found = await workspace.runtime.inbox.list({ limit: 1, state: "open" });
  const by = workspace.runtime.localCaller();
  const [asked] = found.ok ? found.value : [];
  if (!asked || !by.ok) throw new Error("nobody was asked");
  const { approval_id, subject_hash } = asked;
  const decided = await workspace.runtime.decisions.decide(by.value, approval_id, { choice, subject_hash, reason });
  expect(decided).toMatchObject({ ok: true });
};

test("a thread that waits for a person records nothing of messages until then, and its next message shows what came of it", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  const thread = workspace.runtime.threads.begin();
  vendor.will(call("ask", { question: "Which port?" }), { text: "Port 8080 it is." }, { text: "You are welcome." });
  const first = await thread.send("set the port").result;
  expect(first).toMatchObject({ status: "waiting" });
  const recorded = (await workspace.events(first.session_id)).length;
  for (let time = 0; time < 3; time++)
    expect(await thread.send("thanks").result).toMatchObject({
      status: "failure",
      error_code: "SESSION_BUSY",
      error: expect.stringContaining("waits for a person: The agent asks: "),
    });
  expect(await workspace.events(first.session_id)).toHaveLength(recorded);
  expect(vendor.requests).toHaveLength(1);

  await decide(bench, "answer", "8080");
  const next = thread.send("thanks");
  expect(await next.result).toMatchObject({ status: "success", response: "You are welcome." });
  let said = "";
  for await (const part of next.stream()) if (part.type === "text") said += part.text; // no answer is repeated as a whole
  expect(said).toBe("Port 8080 it is.You are welcome.");
  expect((await workspace.events(first.session_id)).filter(({ type }) => type === "session.resumed")).toHaveLength(1);
  expect(sent(vendor).at(-1)?.slice(-2)).toMatchObject([{ content: "Port 8080 it is." }, { content: "thanks" }]);
});

test("what a message left undone is read from the record by those who did not see it end", async () => {
  await using bench = await withModel({ files: { "auth.ts": "one\n" } });
  const { vendor, workspace } = bench;
  const thread = workspace.runtime.threads.begin();
  vendor.will(call("fs.edit", { path: "auth.ts", edits: [{ old: "one", new: "two" }] }), { text: "Fixed." });
  const first = await thread.send("fix auth.ts").result;
  const undone = [{ tool: "fs.edit", target: "auth.ts", state: "refused", code: "CAPABILITY_VIOLATION" }];
  expect(first).toMatchObject({ status: "partial", undone });
  await workspace.reopen();
  const read = await workspace.runtime.threads.read(thread.thread_id);
  expect(read).toMatchObject({ value: { messages: [{ status: "partial", undone }] } });
});
