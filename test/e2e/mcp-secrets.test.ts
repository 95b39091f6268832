// What an MCP server's declaration and its tools are called is no secret; what is written out in the declaration is one.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostileServer } from "../support/mcp.ts";
import { User } from "../support/trusting-user.ts";

const tool = (name: string) => ({
  name,
  description: "Changes it",
  inputSchema: { type: "object", properties: { user: { type: "string" } }, additionalProperties: false },
});

/** Every file below a folder that holds the text. */
function holding(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text),
  );
}

test("a tool called update_password is approved, pinned and called, and every other request goes on", async () => {
  await using server = hostileServer({ tools: ["update_password", "rotate_api_key"].map(tool) });
  const user = new User();
  const servers = { bank: { command: process.execPath, args: server.args, rights: server.rights } };
  const root = await user.makes({ provider: "scripted", mcp: { servers } });
  expect((await user.writ(root, ["trust", "--yes"])).status).toBe(0);
  expect(await user.writ(root, ["tool", "approve", "--all", "--yes"])).toMatchObject({ status: 0 });
  expect(await user.writ(root, ["run", "greet Ada"])).toMatchObject({ status: 0 });
  const called = await user.writ(root, ["tool", "call", "bank.update_password", '{"user":"ada"}']);
  expect([called.status, called.err]).toEqual([0, ""]);
  expect(server.calls()).toContain("update_password");
  const events = await user.writ(root, ["session", "events", "last", "--json"]);
  expect(events.out).toMatch(/"tool:bank\.update_password": "[0-9a-f]{64}"/);
  expect(await user.writ(root, ["session", "verify", "--all"])).toMatchObject({ status: 0 });
});

test("a token in a server's arguments, environment or headers is in no record and no pin, and has its place named", async () => {
  const literals = ["tok-9fJ2kLq81Zx", "correct-horse-battery", "hunter2hunter2", "s3cr3t-in-an-arg"];
  const [token = "", password = "", key = "", apart = ""] = literals;
  await using server = hostileServer({
    tools: [tool("look")],
    result: { content: [{ type: "text", text: `it is ${password}` }] },
  });
  const user = new User();
  const servers = {
    kb: {
      command: process.execPath,
      args: [
        ...server.args,
        `--token=${token}`,
        "--api-key",
        apart,
        "--max-tokens",
        "4096",
        "--token-file",
        "/run/token",
      ],
      rights: server.rights,
      env: { KB_PASSWORD: password, KB_USER: "ada", KB_API_KEY: "${secret:KB_KEY}" },
    },
    far: { url: "http://127.0.0.1:9/mcp", headers: { authorization: `Bearer ${key}` } },
  };
  const root = await user.makes({ provider: "scripted", secrets: { KB_KEY: { env: "KB_KEY" } }, mcp: { servers } });
  const env = { KB_KEY: "from-the-environment" };
  const trusted = await user.writ(root, ["trust", "--yes"], { env });
  expect(trusted.status).toBe(0);
  const approved = await user.writ(root, ["tool", "approve", "kb", "--yes"], { env });
  expect(approved.status).toBe(0);
  for (const where of ["--token of", "--api-key of", "env.KB_PASSWORD of", "headers.authorization of"])
    expect(approved.err).toContain(`${where} the MCP server`);
  expect(approved.err).toContain("${secret:KB_TOKEN}");
  for (const plain of ["--max-tokens", "--token-file", "KB_USER", "KB_API_KEY"])
    expect(approved.err).not.toContain(`${plain} of`);
  const called = await user.writ(root, ["tool", "call", "kb.look", "{}"], { env });
  expect(called.status).toBe(0);
  // The server itself got them as they are.
  expect(server.log().some(({ env: given }) => given?.["KB_PASSWORD"] === password)).toBe(true);
  for (const literal of literals) {
    expect([literal, holding(join(root, "planes"), literal)]).toEqual([literal, []]);
    expect([literal, holding(user.home, literal)]).toEqual([literal, []]);
    expect(trusted.out + trusted.err + approved.out).not.toContain(literal);
  }
});
