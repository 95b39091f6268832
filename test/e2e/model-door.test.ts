// "Change one environment variable": the built command line, a server of its own, and what is left where that server is killed.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chatStream, hangsAfter, modelServer, streams } from "../support/model-server.ts";
import { writ, writJson } from "../support/resident-writ.ts";
import { served } from "../support/served.ts";

async function workspace() {
  const root = await mkdtemp(join(tmpdir(), "writ-door-"));
  const model = await modelServer();
  onTestFinished(async () => {
    await model[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  await writ(["init", root]);
  await writeFile(
    join(root, "writ.yaml"),
    `version: 1\nprovider: openai-compatible\nmodel: test-model\nbase_url: ${model.url}\n`,
  );
  await writ(["trust", "--yes"], { cwd: root });
  const { json } = await writJson<{ token: string; token_id: string; env: Record<string, string> }>(
    ["gateway", "token", "--tokens", "50000", "--note", "a program"],
    { cwd: root },
  );
  return { root, model, ...json };
}

const tools = [{ type: "function", function: { name: "read_file", parameters: { type: "object" } } }];
const call = { id: "call_1", name: "read_file", args: { path: "a.txt" } };
const whole = chatStream({ text: "I look.", calls: [call] });

function ask(url: string, token: string) {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ model: "test-model", stream: true, messages: [{ role: "user", content: "hello" }], tools }),
  });
}

test.each([
  ["before the answer begins", "", ""],
  ["in the midst of its text", whole.slice(0, whole.indexOf("tool_calls")), "I look"],
  ["with a call let through and its end not recorded", whole.slice(0, whole.indexOf("data: [DONE]")), "read_file"],
])("a server that is killed %s leaves a record that is ended, proved, and not gone on with", async (_, text, seen) => {
  const { root, model, token } = await workspace();
  const server = await served(["up"], root);
  const reached = new Promise<void>((resolve) =>
    model.will((asked, response) => {
      if (text === "") resolve();
      else hangsAfter(text)(asked, response);
    }),
  );
  const answered = ask(server.url, token).then(async (response) => {
    let got = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      got += chunk;
      if (got.includes(seen)) return got;
    }
    return got;
  });
  void answered.catch(() => undefined); // the connection breaks with the server
  await (text === "" ? reached : answered);
  await server.end("SIGKILL");

  const resumed = await writJson<{ error_code: string }>(["session", "resume", "last"], { cwd: root });
  expect([resumed.status, resumed.json.error_code]).toEqual([3, "FOREIGN_SESSION"]);
  const verified = await writJson<{ ok: boolean; closed: boolean; notes: { kind: string; message: string }[] }>(
    ["session", "verify", "last"],
    { cwd: root },
  );
  expect(verified.json).toMatchObject({ ok: true, closed: true });
  expect(verified.json.notes.find(({ kind }) => kind === "foreign")?.message).toContain("grade observed");
  const { stdout } = await writ(["session", "events", "last", "--json"], { cwd: root });
  const types = [...stdout.matchAll(/"type":\s*"([a-z.]+)"/g)].map(([, type]) => type);
  expect(types.filter((type) => type?.startsWith("llm."))).toEqual(["llm.request", "llm.response"]);
  // What the program saw was permitted on disk before.
  expect(types.includes("foreign.permit")).toBe(seen === "read_file");

  // The token's order has ended: another server does not begin it anew.
  model.will(streams(whole));
  const again = await served(["up"], root);
  const refused = await ask(again.url, token);
  expect(refused.status).toBe(403);
  expect(model.seen).toHaveLength(1);
  await again.end("SIGTERM");
});
