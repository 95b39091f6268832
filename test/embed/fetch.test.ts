// The fetch handler as the AI SDK's own client talks to it: its transport sends, its reader makes the message.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type ChatOptions, chatHandler } from "../../src/embed/fetch.ts";
import { defineHook, defineProvider, defineTool, openWorkspace, unwrap } from "../../src/embed/index.ts";

const forecast = defineTool({
  name: "weather.forecast",
  input: z.object({ town: z.string() }),
  effect: "read",
  run: ({ town }) => ({ sky: `sun over ${town}` }),
});

/** Looks up the town that a request ends with, then says what it found; of a ping it says how many there were. */
const weatherman = defineProvider({
  id: "weatherman",
  async complete({ messages }, { text }) {
    const usage = { input_tokens: 100, output_tokens: 10 };
    const last = messages.at(-1);
    const pings = messages.filter(({ role, content }) => role === "user" && content.includes("ping")).length;
    if (last?.role === "user" && pings > 0) return { text: `ping ${pings}`, usage };
    const town = /(\w+)\?/.exec(last?.content ?? "")?.[1];
    if (last?.role === "user" && town !== undefined)
      return { tool_calls: [{ id: `c${messages.length}`, name: "weather.forecast", args: { town } }], usage };
    const said = `I read: ${last?.content}`;
    for (const piece of said.match(/.{1,9}/gs) ?? []) text(piece);
    return { text: said, usage };
  },
});
const noThule = defineHook({
  id: "no-thule",
  point: "PreToolUse",
  matcher: "weather.*",
  decide: ({ args }) => {
    const { town } = args as { town: string };
    if (town === "Thule") return { decision: "deny", reason: "not on our map" };
    return town === "Mars" ? { decision: "ask", reason: "far away" } : { decision: "allow" };
  },
});

async function chat(options: ChatOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), "writ-fetch-"));
  const writ = unwrap(await openWorkspace({ root, tools: [forecast], hooks: [noThule], providers: [weatherman] }));
  onTestFinished(async () => {
    await writ.close();
    rmSync(root, { recursive: true, force: true });
  });
  const handle = chatHandler(writ, { order: { tools: ["weather.forecast"], tokens: 20_000 }, ...options });
  const answers: Response[] = [];
  const messages: UIMessage[] = [];
  const transport = (headers: Record<string, string> = {}) =>
    new DefaultChatTransport({
      api: "http://app.test/api/chat",
      headers,
      fetch: async (url, init) => {
        const response = await handle(new Request(url, init));
        answers.push(response);
        return response;
      },
    });
  /** Sends as `useChat` does, and keeps what came as it does. */
  const say = async (text: string, more: UIMessage["parts"] = [], headers: Record<string, string> = {}) => {
    messages.push({ id: `u${messages.length}`, role: "user", parts: [{ type: "text", text }, ...more] });
    const stream = await transport(headers).sendMessages({
      trigger: "submit-message",
      chatId: "chat-1",
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
    let made: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream })) made = message;
    if (!made) throw new Error("nothing came");
    messages.push({ ...made, id: `a${messages.length}` });
    return made;
  };
  return { writ, handle, say, answers, messages };
}

const textOf = ({ parts }: UIMessage) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");

test("the SDK's client reads text, calls and results, and the record of the session verifies", async () => {
  const { writ, say, answers } = await chat();
  const message = await say("weather in Oslo?");
  expect(answers[0]?.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  expect(textOf(message)).toContain("I read: ");
  expect(message.parts).toContainEqual(
    expect.objectContaining({
      type: "dynamic-tool",
      toolName: "weather.forecast",
      state: "output-available",
      input: { town: "Oslo" },
      output: { sky: "sun over Oslo" },
    }),
  );
  const { writ: place } = message.metadata as { writ: { status: string; session_id: string } };
  expect(place.status).toBe("success");
  expect(await writ.verifySession(place.session_id as never)).toMatchObject({ ok: true });
});

test("the next message goes on in the same thread", async () => {
  const { writ, say } = await chat();
  expect(textOf(await say("ping"))).toBe("ping 1");
  expect(textOf(await say("ping again"))).toBe("ping 2");
  expect(unwrap(await writ.threads.list(10))).toHaveLength(1);
});

test("a refused call is an error with its reason, and a question for a person is a part of the message", async () => {
  const { say } = await chat();
  const refused = await say("weather in Thule?");
  expect(refused.parts).toContainEqual(
    expect.objectContaining({ state: "output-error", errorText: expect.stringContaining("not on our map") }),
  );
  const asked = await say("weather in Mars?");
  expect(asked.parts).toContainEqual(expect.objectContaining({ type: "data-writ-approval" }));
  expect(asked.metadata).toMatchObject({ writ: { status: "waiting" } });
});

test("a file goes along as an attachment, and one that would have to be fetched is refused", async () => {
  const { writ, handle, say } = await chat();
  const url = `data:text/plain;base64,${Buffer.from("the key is under the mat").toString("base64")}`;
  const message = await say("what is in it", [{ type: "file", mediaType: "text/plain", filename: "note.txt", url }]);
  const { session_id } = (message.metadata as { writ: { session_id: string } }).writ;
  const events = [];
  for await (const event of writ.log.read(session_id as never)) events.push(unwrap(event));
  expect(JSON.stringify(events)).toContain("note.txt");
  const far = [{ role: "user", parts: [{ type: "file", url: "http://elsewhere.test/x.png" }] }];
  expect((await handle(post({ messages: far }))).status).toBe(400);
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
  new Request("http://app.test/api/chat", {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

test("a chat goes on only for its user; a thread that was never handed out is not there", async () => {
  const user = (request: Request) => request.headers.get("x-user") ?? undefined;
  const { say, handle, messages, writ } = await chat({ user });
  await say("ping", [], { "x-user": "ada" });
  const next = [...messages, { role: "user", parts: [{ type: "text", text: "ping again" }] }];
  expect((await handle(post({ messages: next }))).status).toBe(401);
  expect((await handle(post({ messages: next }, { "x-user": "bob" }))).status).toBe(404);
  const [head] = unwrap(await writ.threads.list(10));
  const forged = [
    { role: "assistant", parts: [], metadata: { writ: { thread_id: head?.thread_id, proof: "0".repeat(64) } } },
    { role: "user", parts: [{ type: "text", text: "ping" }] },
  ];
  expect((await handle(post({ messages: forged }, { "x-user": "ada" }))).status).toBe(404);
  expect(textOf(await say("ping again", [], { "x-user": "ada" }))).toBe("ping 2");
});

test("what is no chat, or too large, is refused before anything is begun", async () => {
  const { handle, writ } = await chat({ maxBytes: 1_000 });
  const words = (text: string) => ({ messages: [{ role: "user", parts: [{ type: "text", text }] }] });
  for (const body of [
    "",
    "no",
    "[]",
    "{}",
    { messages: [] },
    { messages: [{ role: "assistant", parts: [] }] },
    words(" "),
  ])
    expect((await handle(post(body))).status).toBe(400);
  expect((await handle(post(words("x".repeat(2_000))))).status).toBe(413);
  expect((await handle(new Request("http://app.test/api/chat"))).status).toBe(405);
  expect(unwrap(await writ.threads.list(10))).toEqual([]);
});

test("a failure is an error that the client sees, and a client that goes away ends its order", async () => {
  const { handle, writ } = await chat({ order: { tools: ["weather.forecast"], tokens: 60 } });
  const failed = await (
    await handle(post({ messages: [{ role: "user", parts: [{ type: "text", text: "weather in Oslo?" }] }] }))
  ).text();
  expect(failed).toMatch(/"type":"error","errorText":"BUDGET_EXHAUSTED/);
  expect(failed.trimEnd()).toMatch(/data: \[DONE\]$/);
  const gone = await handle(post({ messages: [{ role: "user", parts: [{ type: "text", text: "ping" }] }] }));
  await gone.body?.cancel();
  expect(unwrap(await writ.threads.list(10)).length).toBeGreaterThan(0);
});
