import { clientUnderTest } from "../support/mcp-conformance/client-under-test.ts";
import { withFixtures } from "../support/mcp-conformance/fixture-offer.ts";
import { judgeClient, judgeServer } from "../support/mcp-conformance/judge.ts";
import { type Score, scoreOf } from "../support/mcp-conformance/score.ts";
import { testServer } from "../support/server.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;

/** Runs the official suite of MCP against Writ, in both roles, and prints a score. True where all that is not left out passes. */
export async function runMcpConformance(): Promise<boolean> {
  let isGood = true;
  for (const revision of revisions) {
    await using api = await testServer({ mcpSeen: withFixtures });
    const judged = await judgeServer(`${api.server.url}/mcp`, revision);
    isGood = print(`server ${revision}`, scoreOf("server", judged)) && isGood;
  }
  await using client = await clientUnderTest();
  for (const revision of revisions)
    isGood = print(`client ${revision}`, scoreOf("client", await judgeClient(client.command, revision))) && isGood;
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
