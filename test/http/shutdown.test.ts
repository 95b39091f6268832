// A server that is told to end: whoever is being answered gets their answer, and nobody else keeps it from ending.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err } from "#core/values";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { writeGreeting } from "../support/greeting-session.ts";
import { type TestServer, testServer } from "../support/server.ts";

/** A server that answers whoever shows a key when it is told to, on a clock that stands still. */
async function slowServer() {
  const clock = manualClock();
  let isAsked = (): void => undefined;
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const answering = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const api = await testServer({
    serverClock: clock,
    authenticator: {
      async byKey() {
        isAsked();
        await answering;
        return err(domainError("NOT_AUTHORIZED", "nobody knows this key"));
      },
    },
  });
  return { api, clock, asked, answer };
}

/** A connection on which these bytes were sent, and that it has ended. */
async function sending({ server }: TestServer, text: string): Promise<{ socket: Socket; ended: Promise<unknown> }> {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined); // a reset is an end as well
  const ended = once(socket, "close");
  await once(socket, "connect");
  if (text !== "") await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return { socket, ended };
}

test("an answer that is under way is given; idle and half-open connections end at once", async () => {
  const { api, asked, answer } = await slowServer();
  await using _ = api;
  const host = `Host: 127.0.0.1:${api.server.port}`;
  const silent = await sending(api, "");
  const trickling = await sending(api, `GET /healthz HTTP/1.1\r\n${host}\r\n`);
  const halfBody = await sending(
    api,
    `POST /api/v1/flows HTTP/1.1\r\n${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  const idle = await sending(api, `GET /healthz HTTP/1.1\r\n${host}\r\n\r\n`);
  expect(String(await once(idle.socket, "data"))).toContain("200 OK");
  const waiting = api.get("/api/v1/sessions", { authorization: "Bearer writkey_1" });
  await asked;
  const closed = api.server.close(60_000); // the clock stands still: nobody waits for the end of the grace
  await Promise.all([silent, trickling, halfBody, idle].map(({ ended }) => ended));
  answer();
  expect(await waiting).toMatchObject({ status: 401, json: { code: "NOT_AUTHENTICATED" } });
  await closed;
});

test("when the grace is over nobody is waited for", async () => {
  const { api, clock, asked, answer } = await slowServer();
  await using _ = api;
  const waiting = api.get("/api/v1/sessions", { authorization: "Bearer writkey_1" });
  const cut = expect(waiting).rejects.toThrow();
  await asked;
  const closed = api.server.close(60_000);
  clock.advance(60_000);
  await cut;
  await closed;
  answer();
});

test("whoever waits over MCP is told that nobody waits any more", async () => {
  await using api = await testServer({ serverClock: manualClock() });
  const { session_id } = await writeGreeting(api.workspace.runtime.log, { leaveOpen: true });
  const params = { name: "watch_session", arguments: { session_id, after: 1000, wait_seconds: 50 } };
  const accept = { accept: "application/json, text/event-stream" };
  const waiting = api.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, accept);
  await expect.poll(async () => (await api.get("/metrics")).text).toMatch(/^writ_[a-z_]*streams[a-z_]* 1$/m);
  await api.server.close(60_000);
  expect((await waiting).text).toContain("CANCELED");
});
