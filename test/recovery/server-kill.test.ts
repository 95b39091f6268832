// What a server has accepted is carried out, also when it is killed and another takes its place.
import { expect, test } from "vitest";
import { built } from "../support/built.ts";
import { countingModel } from "../support/counting-model.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { served } from "../support/served.ts";

test("orders that were accepted before a kill -9 end as they would have, and those repeated with their key are the same, forks too", async () => {
  built();
  // As long as the first server lives no model answers, so that every order is under way when it is killed.
  let isSilent = true;
  await using model = await countingModel(() => (isSilent ? new Promise(() => {}) : { text: "Hello, Ada" }));
  await using workspace = await testWorkspace({
    config: { provider: "openai-compatible", model: "m", base_url: model.baseUrl, max_output_tokens: 100 },
  });
  await workspace.runtime.close();
  const first = await served(["up"], workspace.root);
  const post = (url: string, order: Record<string, unknown>) =>
    fetch(`${url}/api/v1/flows`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": String(order["work_order_id"]),
      },
      body: JSON.stringify({ work_order: order }),
    });
  const orders = Array.from({ length: 5 }, () => workOrder());
  const accepted = await Promise.all(orders.map((order) => post(first.url, order)));
  expect(accepted.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  const ids = await Promise.all(
    accepted.map(async (answer) => ((await answer.json()) as { session_id: string }).session_id),
  );
  // A fork of the first of them, whose client waits for the result and so has no answer when the server is killed.
  const fork = async (url: string): Promise<{ readonly session_id?: string }> =>
    (
      await fetch(`${url}/api/v1/sessions/${ids[0]}/fork`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "fork", prefer: "wait=60" },
        body: JSON.stringify({ at: 3 }),
      })
    ).json() as Promise<{ readonly session_id?: string }>;
  const forks = async (url: string): Promise<readonly string[]> => {
    const listed = (await (await fetch(`${url}/api/v1/sessions`)).json()) as {
      sessions: { session_id: string; parent_session_id: string | null }[];
    };
    return listed.sessions.flatMap((each) => (each.parent_session_id === ids[0] ? [each.session_id] : []));
  };
  const unanswered = fork(first.url).then(
    () => "answered",
    () => "cut off",
  );
  const begun = async () => {
    const [forked] = await forks(first.url);
    return (await fetch(`${first.url}/api/v1/sessions/${forked}/events`)).text();
  };
  await expect.poll(begun).toContain("llm.request"); // it waits for the model
  const [forked] = await forks(first.url);
  await first.end("SIGKILL");
  expect(await unanswered).toBe("cut off");
  isSilent = false;
  const second = await served(["up"], workspace.root);
  try {
    for (const [index, order] of orders.entries()) {
      const id = ids[index] ?? "";
      const stream = await fetch(`${second.url}/api/v1/sessions/${id}/stream`);
      const text = await stream.text(); // ends when the session has closed
      expect(text).toContain('"status":"success"');
      expect(text).toContain("session.resumed");
      const kept = async () =>
        (await fetch(`${second.url}/api/v1/work-orders/${String(order["work_order_id"])}`)).json();
      await expect.poll(kept).toMatchObject({ state: "done", session_id: id, result: { status: "success" } });
      expect(await (await post(second.url, order)).json()).toMatchObject({ session_id: id });
    }
    expect(await fork(second.url)).toMatchObject({ session_id: forked, status: "success" });
    expect(await forks(second.url)).toEqual([forked]);
  } finally {
    await second.end("SIGTERM");
  }
});
