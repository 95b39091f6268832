// Kill -9 of both sides while a call is a task, or between two rounds of a request: the order is carried out
// once, and the session or client that asked gets its result.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { built } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { countingModel } from "../support/counting-model.ts";
import { approveAll } from "../support/mcp-workspace.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { served } from "../support/served.ts";

test("a task survives the death of its client and of its server", async () => {
  built();
  let isSilent = true;
  await using model = await countingModel(() => (isSilent ? new Promise(() => {}) : { text: "It gives light." }));
  await using other = await testWorkspace({
    config: { provider: "openai-compatible", model: "m", base_url: model.baseUrl, max_output_tokens: 100 },
  });
  await other.runtime.close();
  const first = await served(["up"], other.root);
  await using workspace = await testWorkspace({
    config: { mcp: { servers: { other: { url: `${first.url}/mcp` } } } },
  });
  await approveAll(workspace);
  const order = await workspace.runtime.writeToolOrder("other.submit_request", { prompt: "What is a lamp?" });
  if (!order.ok) throw new Error(order.error.message);
  await workspace.runtime.close();
  const killed = await runChild("tool-child.mjs", {
    root: workspace.root,
    order: order.value,
    killAt: "tool.deferred",
  });
  expect(killed.signal, killed.stderr + killed.stdout).toBe("SIGKILL");
  await first.end("SIGKILL");
  isSilent = false;
  const second = await served(["up"], other.root, { port: Number(new URL(first.url).port) });
  try {
    await workspace.reopen();
    const sessions: string[] = [];
    for await (const each of workspace.runtime.log.list())
      if (each.ok && each.value.tier === "ho1") sessions.push(each.value.session_id);
    expect(sessions).toHaveLength(1);
    const session_id = sessions[0] as never;
    const done = await workspace.runtime.resumeSession(session_id);
    expect(done).toMatchObject({
      ok: true,
      value: { status: "success", response: expect.stringContaining("It gives light.") },
    });
    const begun = (await (await fetch(`${second.url}/api/v1/sessions`)).json()) as { sessions: { tier: string }[] };
    expect(begun.sessions.filter(({ tier }) => tier === "ho1")).toHaveLength(1);
    expect(await workspace.runtime.verifySession(session_id)).toMatchObject({ ok: true });
  } finally {
    await second.end("SIGTERM");
  }
});

test("a round whose server died is answered by the next one: the user's answer counts, and nothing is submitted twice", async () => {
  built();
  const rules = [
    { when: { call: 1 }, respond: { tool_calls: [{ name: "ask", args: { question: "Which port?" } }] } },
    { respond: { text: "It is decided." } },
  ];
  await using workspace = await testWorkspace({ rules });
  await workspace.runtime.close();
  const first = await served(["up"], workspace.root);
  const connect = async () => {
    const client = new Client(
      { name: "test", version: "1" },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: "auto" },
        inputRequired: { autoFulfill: false },
      },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`${first.url}/mcp`)));
    return client;
  };
  const work_order = workOrder({ tool_permissions: ["ask"], budget: { token_limit: 20_000, turn_limit: 6 } });
  const params = { name: "submit_work_order", arguments: { work_order, wait_seconds: 30 } };
  const round = (client: Client, added: object) =>
    client.callTool({ ...params, ...added }, { allowInputRequired: true }) as Promise<Record<string, unknown>>;
  const asking = await connect();
  const asked = await round(asking, {});
  expect(asked).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
  await first.end("SIGKILL");
  await asking.close();
  const second = await served(["up"], workspace.root, { port: Number(new URL(first.url).port) });
  try {
    const client = await connect();
    const [approval_id = ""] = Object.keys(asked["inputRequests"] as object);
    const content = { choice: "answer", reason: "8080" };
    const done = await round(client, {
      requestState: asked["requestState"],
      inputResponses: { [approval_id]: { action: "accept", content } },
    });
    expect(done["structuredContent"]).toMatchObject({ status: "success", output: "It is decided." });
    await client.close();
  } finally {
    await second.end("SIGTERM");
  }
});
