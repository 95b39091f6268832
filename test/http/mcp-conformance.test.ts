// The official judge of MCP servers, for both revisions of the protocol.
import { afterAll, beforeAll, expect, test } from "vitest";
import { withFixtures } from "../support/mcp-conformance/fixture-offer.ts";
import { judgeServer } from "../support/mcp-conformance/judge.ts";
import { scoreOf } from "../support/mcp-conformance/score.ts";
import { type TestServer, testServer } from "../support/server.ts";

let api: TestServer;
beforeAll(async () => {
  api = await testServer({ mcpSeen: withFixtures });
});
afterAll(() => api[Symbol.asyncDispose]());

test.for([
  ["2025-11-25", 33],
  ["2026-07-28", 50],
] as const)("revision %s: every check of its %i server scenarios passes", async ([revision, scenarios]) => {
  const score = scoreOf("server", await judgeServer(`${api.server.url}/mcp`, revision));
  expect(score.scenarios).toBe(scenarios);
  expect(score.failed).toEqual([]);
  expect(score.stale).toEqual([]);
  expect(api.problems).toEqual([]);
});
