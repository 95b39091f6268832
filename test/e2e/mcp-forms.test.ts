// A server's form in the terminal, over HTTP and through Writ's own MCP server: its fields are shown, held against the form when
// a person answers, and reach the server as they were given.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { askingServer, bookingForm } from "../support/asking-server.ts";
import { cli } from "../support/fresh-cli.ts";
import { approveAll, approveOffered, callTool } from "../support/mcp-workspace.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { testServer } from "../support/server.ts";

const secret = {
  method: "elicitation/create",
  params: {
    message: "Log in",
    requestedSchema: { type: "object", properties: { password: { type: "string" } }, required: ["password"] },
  },
};
const visit = {
  method: "elicitation/create",
  params: { mode: "url", message: "Log in there", url: "https://login.example.org/a?b=c", elicitationId: "e1" },
};
const accepted = (content: object) => [{ q: { action: "accept", content } }];

test("the terminal shows the fields, refuses what does not fit, and sends what fits", async () => {
  await using server = await askingServer({ q: bookingForm });
  await using workspace = await testWorkspace({ config: { mcp: { servers: { desk: { url: server.url } } } } });
  await approveAll(workspace);
  const waiting = await callTool(workspace, "desk.book", {});
  const open = await workspace.runtime.inbox.list({ state: "open", limit: 1 });
  const id = (open.ok ? open.value[0]?.approval_id : undefined) ?? "";
  await workspace.runtime.close();
  const writ = (...words: readonly string[]) => cli(workspace.root, ...words);
  const { text } = await writ("inbox", "show", id);
  expect(text).toContain("guests  Guests  (integer, at least 1, at most 9, required)");
  expect(text).toContain("room  (one of, a (Ante-room), b (Big room), required)");
  expect(text).toContain('note  (text, else "none")');
  expect(text).toContain("--choice answer --field guests=… --field room=…");
  const short = id.slice(4, 12);
  for (const [fields, why] of [
    [["--field", "guests=many"], 'guests is a whole number, not "many"'],
    [["--field", "guests=12", "--field", "room=a"], "guests is at least 1, at most 9"],
    [["--field", "guests=4"], "room is wanted"],
    [["--field", "smoking=yes"], "a field of the form: guests, room, note, window"],
    [["--result", '{"guests": 4, "room": "c"}'], "room is one of a, b"],
  ] as const) {
    const refused = await writ("inbox", "approve", short, ...fields);
    expect([refused.status, refused.errors]).toEqual([2, expect.stringContaining(why)]);
  }
  const decided = await writ(
    "inbox",
    "approve",
    short,
    "--field",
    "guests=4",
    "--field",
    "room=b",
    "--field",
    "window=yes",
  );
  expect(decided.status).toBe(0);
  expect((await writ("session", "resume", waiting.session_id ?? "")).text).toContain("booked");
  expect(server.answers).toEqual(accepted({ guests: 4, note: "none", window: true, room: "b" }));
});

test("a form that asks for a secret says so, and an address is shown as one", async () => {
  await using server = await askingServer({ a: secret, b: visit });
  await using workspace = await testWorkspace({ config: { mcp: { servers: { desk: { url: server.url } } } } });
  await approveAll(workspace);
  await callTool(workspace, "desk.book", {});
  const open = await workspace.runtime.inbox.list({ state: "open", limit: 5 });
  const questions = open.ok ? open.value : [];
  const shown = await Promise.all(
    questions.map(({ approval_id }) => cli(workspace.root, "inbox", "show", approval_id)),
  );
  const all = shown.map(({ text }) => text).join("\n");
  expect(all).toContain("password: looks like a secret, which a form may not ask for");
  expect(all).toContain("visit    https://login.example.org/a?b=c");
  expect(all).toContain("at       login.example.org, then answer; Writ does not open it");
});

test("the API and Writ's own MCP server refuse what does not fit and pass on what does", async () => {
  await using server = await askingServer({ q: bookingForm });
  await using api = await testServer({
    config: {
      mcp: { servers: { desk: { url: server.url } } },
      identity: { callers: { "bob@corp": { roles: ["approver"] } } },
    },
  });
  await approveOffered(api.workspace);
  const admin = api.workspace.runtime.localCaller();
  const made = admin.ok ? await api.workspace.runtime.keys.create(admin.value, { caller_id: "bob@corp" }) : admin;
  const authorization = `Bearer ${made.ok ? made.value.key : ""}`;
  const asked = async () => {
    await callTool(api.workspace, "desk.book", {});
    const open = (await api.get("/api/v1/approvals")).json.approvals as { approval_id: string; subject_hash: string }[];
    return open[0] as { approval_id: string; subject_hash: string };
  };
  const first = await asked();
  const decide = (result: object) => {
    const { approval_id, subject_hash } = first;
    const decision = { choice: "answer", subject_hash, result };
    return api.post(`/api/v1/approvals/${approval_id}/decision`, decision, { authorization });
  };
  const refused = await decide({ guests: 4 });
  expect([refused.status, refused.json.detail ?? refused.text]).toEqual([
    400,
    expect.stringContaining("room is wanted"),
  ]);
  expect((await decide({ guests: 4, room: "a" })).status).toBe(200);
  await expect.poll(() => server.answers).toEqual(accepted({ guests: 4, note: "none", window: false, room: "a" }));
  const second = await asked();
  const shown: unknown[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    shown.push(Object.keys((params as { requestedSchema: { properties: object } }).requestedSchema.properties));
    return { action: "accept", content: { choice: "answer", field_guests: 2, field_room: "b" } };
  });
  const transport = new StreamableHTTPClientTransport(new URL(`${api.server.url}/mcp`), {
    requestInit: { headers: { authorization } },
  });
  await client.connect(transport);
  const { approval_id } = second;
  const done = await client.callTool({ name: "decide_approval", arguments: { approval_id } });
  expect(done.structuredContent).toMatchObject({ state: "approved", decided_by: "bob@corp" });
  expect(shown).toEqual([["choice", "reason", "field_guests", "field_note", "field_room", "field_window"]]);
  await expect.poll(() => server.answers.length).toBe(2);
  expect(server.answers[1]).toMatchObject({ q: { content: { guests: 2, room: "b" } } });
  await client.close();
});
