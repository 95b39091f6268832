// What a server of revision 2026-07-28 tells beside its answers: resources that changed, and what it logs. The reference server of
// revision 2025-11-25 is in mcp-everything.test.ts.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { approveAll, callTool } from "../support/mcp-workspace.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const page = "wiki://page";

async function wiki({ subscribe = true } = {}) {
  const seen = { reads: 0, streams: 0, levels: [] as unknown[] };
  const streams = new Set<ServerResponse>();
  const make = () => {
    const capabilities = { tools: {}, logging: {}, resources: { subscribe } };
    const server = new McpServer({ name: "wiki", version: "1" }, { capabilities });
    server.registerResource("page", page, { mimeType: "text/plain" }, () => {
      seen.reads += 1;
      return { contents: [{ uri: page, mimeType: "text/plain", text: `as of read ${seen.reads}` }] };
    });
    const inputSchema = fromJsonSchema<{ n: number }>({ type: "object", properties: { n: { type: "integer" } } });
    server.registerTool("say", { description: "Says", inputSchema }, async ({ n }, context) => {
      for (let at = 0; at < n; at++)
        await context.mcpReq.log("warning", { at, secret: "ghp_" + "a1B2".repeat(9) }, "shelf");
      await context.mcpReq.log("error", `\u202eafter all`);
      await context.mcpReq.log("debug", "not asked for");
      return { content: [{ type: "text", text: "said" }] };
    });
    return server;
  };
  const handler = createMcpHandler(make);
  const handle = toNodeHandler(handler);
  const http = createServer((request, response) => {
    if (request.headers["mcp-method"] === "subscriptions/listen") {
      seen.streams += 1;
      streams.add(response);
      response.once("close", () => streams.delete(response));
    }
    void handle(request as never, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    seen,
    tell: () => handler.notify.resourceUpdated(page),
    hangUp() {
      for (const stream of streams) stream.destroy();
    },
    async [Symbol.asyncDispose]() {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function read({ runtime }: TestWorkspace): Promise<string> {
  const texts = await runtime.mcp.servers[0]?.readResource(page, AbortSignal.timeout(30_000));
  if (!texts?.ok) throw new Error(JSON.stringify(texts));
  return texts.value.map(({ text }) => text).join();
}

test("a resource that is watched is read again once it changed, or once a change may have been missed", async () => {
  await using server = await wiki();
  await using workspace = await testWorkspace({ config: { mcp: { servers: { wiki: { url: server.url } } } } });
  expect([await read(workspace), await read(workspace)]).toEqual(["as of read 1", "as of read 1"]);
  server.tell();
  await expect.poll(() => read(workspace)).toBe("as of read 2");
  expect(await read(workspace)).toBe("as of read 2");
  server.hangUp();
  await expect.poll(() => read(workspace)).toBe("as of read 3");
});

test("a resource of a server without subscriptions is read each time", async () => {
  await using server = await wiki({ subscribe: false });
  await using workspace = await testWorkspace({ config: { mcp: { servers: { wiki: { url: server.url } } } } });
  expect([await read(workspace), await read(workspace)]).toEqual(["as of read 1", "as of read 2"]);
});

test("what a server logs during a call is in the record and the story, from the level on that the workspace asks for, as a stranger's words", async () => {
  await using server = await wiki();
  const servers = { wiki: { url: server.url }, quiet: { url: server.url, log_level: "off" } };
  await using workspace = await testWorkspace({ config: { mcp: { servers } } });
  await approveAll(workspace);
  const done = await callTool(workspace, "wiki.say", { n: 60 });
  expect(done).toMatchObject({ status: "success" });
  const logs = (await workspace.events(done.session_id)).filter(({ type }) => type === "tool.log");
  expect(logs).toHaveLength(50);
  expect(logs[0]?.payload).toMatchObject({ name: "wiki.say", server: "wiki", level: "warning", logger: "shelf" });
  expect(JSON.stringify(logs)).not.toContain("ghp_");
  const few = await callTool(workspace, "wiki.say", { n: 0 });
  expect((await workspace.events(few.session_id)).filter(({ type }) => type === "tool.log")).toMatchObject([
    { payload: { level: "error", text: "\\u{202e}after all" } },
  ]);
  expect(await workspace.runtime.verifySession(few.session_id as never)).toMatchObject({ ok: true });
  const none = await callTool(workspace, "quiet.say", { n: 3 });
  expect((await workspace.events(none.session_id)).filter(({ type }) => type === "tool.log")).toEqual([]);
});
