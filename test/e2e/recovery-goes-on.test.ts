// Seed 000's recovery, switched on: a failed call of a model is made again, and nothing else is.

import { expect, test } from "vitest";
import { cli } from "../support/fresh-cli.ts";
import { hostileServer } from "../support/mcp.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const send = { name: "send", description: "Sends a mail.", inputSchema: { type: "object" } };
const budget = { token_limit: 50_000, turn_limit: 6, timeout_seconds: 60 };
const v2_features = {
  multi_step_enabled: false,
  aperture_enabled: false,
  delegation_enabled: false,
  recovery_enabled: true,
};

async function mailDesk(server: ReturnType<typeof hostileServer>, rules: readonly object[], recovery = {}) {
  const workspace = await testWorkspace({
    rules,
    config: {
      v2_features,
      retries: { attempts: 1 }, // the adapter's own retries would mend it first
      mcp: { servers: { mail: { command: process.execPath, args: [...server.args], rights: server.rights } } },
      ...recovery,
    },
  });
  expect((await cli(workspace.root, "tool", "approve", "mail", "--yes")).status).toBe(0);
  const flow = async (changes: object = {}) => {
    const order = workOrder({ tool_permissions: ["mail.send"], budget, ...changes });
    await workspace.write("order.json", JSON.stringify(order));
    await workspace.runtime.close();
    const ran = await cli(workspace.root, "flow", "run", "order.json", "--json");
    await workspace.reopen();
    return JSON.parse(ran.text) as { session_id: string; status: string; response: string; error_code: string };
  };
  return { workspace, flow };
}

const asked = { when: { call: 1 }, respond: { tool_calls: [{ name: "mail.send", args: { to: "Ada" } }] } };
const outage = (times: number) => ({ respond: { error: { status: 500, retryable: true }, times } });

test("after a 500 the conversation goes on: the mail that was sent is not sent again", async () => {
  await using server = hostileServer({ tools: [send] });
  const { flow, ...desk } = await mailDesk(server, [asked, outage(1), { respond: { text: "sent" } }]);
  await using workspace = desk.workspace;
  const result = await flow();
  expect(result).toMatchObject({ status: "success", response: "sent" });
  expect(server.calls()).toEqual(["send"]);
  const events = await workspace.events(result.session_id);
  expect(events.flatMap((event) => (event.type === "recovery.decided" ? [event.payload] : []))).toMatchObject([
    { decision: "retry", attempt: 1, error: { code: "PROVIDER_ERROR" } },
  ]);
  const asks = events.flatMap((event) => (event.type === "llm.request" ? [event.payload] : []));
  expect(asks.map(({ conversation_id }) => conversation_id)).toEqual(Array(3).fill(asks[0]?.conversation_id));
  expect((await workspace.runtime.verifySession(result.session_id as never)).violations).toEqual([]);
});

test("an outage that stays ends the order after the retries of the configuration, with one mail sent", async () => {
  await using server = hostileServer({ tools: [send] });
  const rules = [asked, outage(9)];
  const { flow, ...desk } = await mailDesk(server, rules, { recovery: { max_retries: 2, keep_partial: true } });
  await using workspace = desk.workspace;
  const result = await flow();
  expect(result).toMatchObject({ status: "failure", error_code: "PROVIDER_ERROR" });
  expect(server.calls()).toEqual(["send"]);
  const events = await workspace.events(result.session_id);
  const decided = events.flatMap((event) => (event.type === "recovery.decided" ? [event.payload] : []));
  expect(decided.map(({ decision, attempt }) => [decision, attempt])).toEqual([
    ["retry", 1],
    ["retry", 2],
    ["discard", 3],
  ]);
});
