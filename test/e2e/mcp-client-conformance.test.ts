// The official judge of MCP clients, for both revisions of the protocol: connections, calls, questions, logins.
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientUnderTest } from "../support/mcp-conformance/client-under-test.ts";
import { judgeClient } from "../support/mcp-conformance/judge.ts";
import { scoreOf } from "../support/mcp-conformance/score.ts";

let client: Awaited<ReturnType<typeof clientUnderTest>>;
beforeAll(async () => {
  client = await clientUnderTest();
});
afterAll(() => client[Symbol.asyncDispose]());

test.for([
  ["2025-11-25", 25],
  ["2026-07-28", 39],
] as const)(
  "revision %s: every check of its %i client scenarios passes, or is left out with a reason",
  async ([revision, scenarios]) => {
    const score = scoreOf("client", await judgeClient(client.command, revision));
    expect(score.failed).toEqual([]);
    expect(score.stale).toEqual([]);
    expect(score.scenarios).toBe(scenarios);
  },
);
