// The official judge of MCP servers, for both revisions of the protocol; what does not apply is listed with the reason.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Check, judge } from "../support/mcp-conformance/judge.ts";
import { scenarios, type Verdict } from "../support/mcp-conformance/scenarios.ts";
import { type TestServer, testServer } from "../support/server.ts";

let api: TestServer;
beforeAll(async () => {
  api = await testServer();
});
afterAll(() => api[Symbol.asyncDispose]());

/** What a scenario has against us: nothing, where it applies and passes. */
function objections(checks: readonly Check[], verdict: Verdict): readonly string[] {
  const excused = typeof verdict === "object" ? verdict.except : {};
  return checks
    .filter(({ id, status }) => status !== "SUCCESS" && status !== "INFO" && !(id in excused))
    .map(({ id, status, errorMessage = "" }) => `${status} ${id} ${errorMessage}`);
}

test.for(Object.entries(scenarios))(
  "revision %s: what applies passes, and nothing is left unsaid",
  async ([revision, table]) => {
    const judged = await judge(`${api.server.url}/mcp`, revision);
    expect([...judged.keys()].sort()).toEqual(Object.keys(table).sort());
    for (const [scenario, verdict] of Object.entries(table)) {
      const checks = judged.get(scenario) ?? [];
      const found = objections(checks, verdict);
      // Whatever is sent has the shape that the protocol's own schema asks for, also where the rest does not apply.
      expect([scenario, checks.filter(({ id, status }) => id.startsWith("wire-") && status === "FAILURE")]).toEqual([
        scenario,
        [],
      ]);
      if (typeof verdict === "string") continue;
      expect([scenario, found]).toEqual([scenario, []]);
      expect([scenario, checks.some(({ status }) => status === "SUCCESS")]).toEqual([scenario, true]);
      for (const id of Object.keys(verdict.except))
        expect([id, checks.find((check) => check.id === id)?.status]).not.toEqual([id, "SUCCESS"]); // stale: it passes by now
    }
    expect(api.problems).toEqual([]);
  },
);
