import { withFixtures } from "../support/mcp-conformance/fixture-offer.ts";
import { judgeServer } from "../support/mcp-conformance/judge.ts";
import { type Score, scoreOf } from "../support/mcp-conformance/score.ts";
import { testServer } from "../support/server.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;

/** Runs the official suite of MCP against Writ and prints a score. True where all that is not left out passes. */
export async function runMcpConformance(): Promise<boolean> {
  let isGood = true;
  for (const revision of revisions) {
    const api = await testServer({ mcpSeen: withFixtures });
    try {
      const score = scoreOf("server", await judgeServer(`${api.server.url}/mcp`, revision));
      isGood = print(`server ${revision}`, score) && isGood;
    } finally {
      await api[Symbol.asyncDispose]();
    }
  }
  return isGood;
}

function print(title: string, { scenarios, passed, failed, leftOut, stale }: Score): boolean {
  const all = passed + failed.length;
  console.log(
    `${title.padEnd(20)} ${scenarios} scenarios, ${passed} of ${all} checks pass, ${leftOut.length} left out`,
  );
  for (const line of leftOut) console.log(`  left out  ${line}`);
  for (const line of failed) console.log(`! failed    ${line}`);
  for (const id of stale) console.log(`! stale     ${id} passes, and is still listed as left out`);
  return failed.length === 0 && stale.length === 0;
}
