import { expect, test } from "vitest";
import { cli } from "../support/fresh-cli.ts";
import { testServer } from "../support/server.ts";

test("a limit that a server reaches is named by the refusal, by its metrics and by the doctor", async () => {
  await using api = await testServer({
    limits: { requestsPerSecond: 1, burst: 3 },
    config: { max_concurrent_flows: 1, rate_limits: { requests_per_minute: 6_000, burst: 1, cooldown_seconds: 0 } },
  });
  const { runtime, root } = api.workspace;
  const ask = async () => {
    const order = await runtime.writeWorkOrder("greet Ada");
    if (!order.ok) throw new Error(order.error.message);
    return runtime.runFlow({ work_order: { ...order.value }, caller_id: runtime.caller }, { fresh: true });
  };
  await Promise.all([ask(), ask()]);
  let refused = await api.get("/api/v1/tools");
  for (let sent = 0; sent < 20 && refused.status !== 429; sent++) refused = await api.get("/api/v1/tools");
  expect(refused).toMatchObject({ status: 429, json: { code: "RATE_LIMITED" } });
  expect(refused.json.detail).toMatch(
    /more than 1 requests a second \(server\.requests_per_second in writ\.yaml\); it lifts in \d+ s/,
  );
  const reached = [...runtime.limits.counts().keys()].sort();
  expect(reached).toEqual(["max_concurrent_flows", "rate_limits", "server.requests_per_second"]);
  await expect
    .poll(async () => (await api.get("/metrics")).text)
    .toMatch(/^writ_limit_reached_total\{limit="max_concurrent_flows"\} 1$/m);
  const { text } = await cli(root, "doctor");
  expect(text).toMatch(/Limits +max_concurrent_flows: 1 times, the last at/);
});
