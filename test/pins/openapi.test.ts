// The HTTP API as a running server describes it, the names of its figures, and the tools that it offers over MCP.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestServer, testServer } from "../support/server.ts";
import { listed, pinned } from "./pinned.ts";

interface Operation {
  readonly description: string;
}

let api: TestServer;
beforeAll(async () => {
  api = await testServer();
});
afterAll(() => api[Symbol.asyncDispose]());

test("the OpenAPI document is the recorded one, and so is the list of routes with their rights", async () => {
  const { status, text, json } = await api.get("/api/v1/openapi.json");
  expect([status, text]).toEqual([200, JSON.stringify(json)]);
  // With line ends, so that a difference can be read; the order of its fields is that of the wire.
  await pinned("openapi.txt", `${JSON.stringify(json, null, 1)}\n`);
  const paths = json.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { description }]) => `${method.toUpperCase()} ${path}: ${description}`),
  );
  await pinned("routes.txt", listed("Routes: method, path, right", routes));
});

test("the figures of /metrics have the recorded names, kinds and labels", async () => {
  await api.get("/api/v1/sessions"); // one request is counted before they are asked for
  const { text } = await api.get("/metrics");
  const lines = text.split("\n").filter((line) => line !== "");
  const names = lines.map((line) =>
    line.startsWith("#") ? line : line.replace(/ [^ ]+$/, "").replace(/="[^"]*"/g, ""),
  );
  await pinned("metrics.txt", listed("Figures of /metrics", new Set(names)));
});

test("the tools that other agents get over MCP are the recorded ones", async () => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.server.url}/mcp`)));
  const { tools } = await client.listTools();
  await client.close();
  await pinned("mcp-tools.txt", `${JSON.stringify(tools, null, 1)}\n`);
});
