// The kill switch between two processes: one waits for a model behind a socket, the other halts. The peer sees the
// connection go within a second.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { bareEnvironment } from "../support/bare-environment.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { servedTime } from "../support/served-time.ts";
import { repository, writ, writJson } from "../support/writ.ts";

test("a halt cancels the running call of another process within a second, and a resume takes it up again", async () => {
  let asked = (_: number) => {};
  let gone = (_: number) => {};
  let isHanging = true;
  const answer = { choices: [{ message: { role: "assistant", content: "hello" }, finish_reason: "stop" }], model: "m" };
  const server = createServer((request, response) => {
    if (!isHanging) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      return;
    }
    response.on("close", () => gone(Date.now()));
    request.resume();
    asked(Date.now());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  await using workspace = await testWorkspace({ config: { provider: "openai-compatible", model: "m", base_url } });
  await workspace.write("order.json", JSON.stringify(simpleOrder()));
  await workspace.runtime.close();
  const at = { cwd: workspace.root };

  const running = new Promise<number>((resolve) => (asked = resolve));
  const cut = new Promise<number>((resolve) => (gone = resolve));
  const child = spawn(process.execPath, [`${repository}bin/writ.js`, "flow", "run", "order.json", "--json"], {
    ...at,
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  child.stdout.on("data", (text: Buffer) => (told += text.toString()));
  const ended = once(child, "close");
  await running;
  const served = servedTime();
  expect((await writ(["halt", "--all", "--reason", "it smells"], at)).status).toBe(0);
  const { json } = await writJson<{ halts: { halted_at: string }[] }>(["halt"], at);
  const haltedAt = Date.parse(json.halts[0]?.halted_at ?? "");
  expect(served.between(haltedAt, await cut)).toBeLessThan(1_000);
  served.stop();
  await ended;
  const result = JSON.parse(told) as { error_code: string; session_id: string };
  expect(result).toMatchObject({ status: "canceled", error_code: "HALTED" });

  expect((await writ(["flow", "run", "order.json"], at)).status).not.toBe(0); // nothing new starts
  isHanging = false;
  expect((await writ(["halt", "--lift"], at)).status).toBe(0);
  const resumed = await writJson<{ status: string; response: string }>(["session", "resume", result.session_id], at);
  expect(resumed.json).toMatchObject({ status: "success", response: "hello" });
  server.closeAllConnections();
  server.close();
  await workspace.reopen();
});

function simpleOrder(): object {
  return {
    work_order_id: "WO-20261115-777",
    type: "answer",
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    scope: { allowed_files: [] },
    acceptance: { tests: [], checks: [] },
    input: { prompt: "Say hello" },
    budget: { token_limit: 20_000, turn_limit: 3, timeout_seconds: 60 },
  };
}
