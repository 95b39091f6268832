// An agent that may write everything writes a list of plugins and the plugin. No program of the workspace finds it, in the running
// process or the next, until a person wrote `live` and agreed to that. What the programs are for goes on working by that line.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "#core/values";
import { writ, writJson } from "../support/resident-writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-live-rights-"));
const cwd = join(place, "workspace");
const put = (path: string, text: string) => {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
const config = (document: object) => put("writ.yaml", JSON.stringify({ version: 1, ...document }));
const call = (tool: string, args: object, ...more: string[]) =>
  writ(["tool", "call", tool, JSON.stringify(args), ...more], { cwd });
const agentWrites = async (path: string, content: string) => {
  const file = join(cwd, path);
  const expected_hash = existsSync(file) ? sha256(readFileSync(file)) : "";
  const args = { path, content, expected_hash, why: "an agent wants it" };
  expect(await call("fs.write", args, "--allow", "**", path)).toMatchObject({ status: 0 });
};
const trust = async () => expect(await writ(["trust", "--yes"], { cwd })).toMatchObject({ status: 0 });

/** Loads what a list names, in a folder that is not its own: its text names neither. */
const load = `import { existsSync, readFileSync } from "node:fs";
export async function load() {
  const said = [];
  const list = process.cwd() + "/plug.json";
  if (existsSync(list)) for (const name of JSON.parse(readFileSync(list, "utf8"))) said.push((await import(process.cwd() + "/" + name)).default);
  return said.join(" ") || "nothing";
}
`;
const serve = `import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { load } from "./load.mjs";
const tools = ["load", "get", "put"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
const acts = { load, get: ({ path }) => readFileSync(path, "utf8"), put: ({ path, text }) => (writeFileSync(path, text), "written") };
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answered = (result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  if (method === "initialize")
    return answered({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "desk", version: "1" } });
  if (method === "tools/list") return answered({ tools });
  if (method !== "tools/call") return process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }) + "\\n");
  try {
    answered({ content: [{ type: "text", text: await acts[params.name](params.arguments ?? {}) }] });
  } catch (thrown) {
    answered({ isError: true, content: [{ type: "text", text: String(thrown) }] });
  }
});
`;
const hook = 'import { load } from "./load.mjs";\nconsole.error(await load());\nprocess.exitCode = 2;\n';
const secret = 'import { load } from "./load.mjs";\nconsole.log("value-" + await load());\n';
const programs = (rights: object) => ({
  mcp: { servers: { desk: { command: process.execPath, args: ["hooks/serve.mjs"], rights } } },
  hooks: {
    PreToolUse: [
      { matcher: "echo", hooks: [{ type: "command", command: "node hooks/check.mjs", rights, timeout: 30 }] },
    ],
    PostToolUse: [
      {
        matcher: "fs.list",
        hooks: [
          {
            type: "command",
            command: '[ "$TOKEN" = value-nothing ] || { echo "the secret is another" >&2; exit 2; }',
            rights: { secrets: ["TOKEN"] },
            timeout: 30,
          },
        ],
      },
    ],
  },
  secrets: { TOKEN: { command: ["node", "hooks/secret.mjs"], rights } },
});
const desk = async (tool: string, args: object = {}, ...more: string[]) => {
  const { stdout, stderr } = await call(`desk.${tool}`, args, ...more);
  return stdout + stderr;
};
const hooked = async () => {
  const { json } = await writJson<{ error: { message: string } | null }>(["run", "greet Ada"], { cwd });
  return json.error?.message ?? "";
};
const listed = async () => (await call("fs.list", { path: "." })).stderr;

beforeAll(async () => {
  await writ(["init", cwd]);
  put("hooks/load.mjs", load);
  put("hooks/serve.mjs", serve);
  put("hooks/check.mjs", hook);
  put("hooks/secret.mjs", secret);
  put("own/keep.txt", "");
  config(programs({ read: ["**"] }));
  const approved = await writ(["tool", "approve", "desk", "--yes"], { cwd });
  expect(approved, approved.stderr).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("a plugin that an agent names in a list and writes is found by no hook, server or secret command before a person agreed", async () => {
  expect(await desk("load")).toContain("nothing");
  await agentWrites("extra/a.mjs", 'export default "owned";\n');
  await agentWrites("plug.json", '["extra/a.mjs"]');
  expect(await hooked()).toContain("nothing");
  expect(await desk("load")).toContain("nothing");
  expect(await listed()).not.toContain("another");

  const shown = (await writ(["trust", "--show"], { cwd })).stdout;
  const doctor = (await writ(["doctor"], { cwd })).stdout;
  for (const where of ["hooks.PreToolUse[0].hooks[0]", "mcp.servers.desk", "secrets.TOKEN"])
    for (const text of [shown, doctor])
      expect(text.replaceAll(/\s+/g, " ")).toMatch(
        new RegExp(
          `${where.replaceAll(/[.[\]]/g, "\\$&")} does not see [^;]*\`live: \\[[^;]*under ${where.replaceAll(/[.[\]]/g, "\\$&")}\\.rights`,
        ),
      );
  expect(shown).toContain("read ** (as it is, without what agents write there)");

  // The line that the message names, agreed to.
  config(programs({ read: ["**"], live: ["plug.json", "extra/**"] }));
  const changed = await writ(["run", "greet Ada"], { cwd });
  expect(changed).toMatchObject({ status: 3 });
  expect((await writ(["trust", "--show"], { cwd })).stdout).toContain("live plug.json, extra/**");
  await trust();
  expect(await hooked()).toContain("owned");
  expect(await desk("load")).toContain("owned");
});

describe("a server in a flow", () => {
  const one = ["hooks/serve.mjs"];
  const flow = async (rights: object, own: readonly string[], ...calls: readonly (readonly [string, object])[]) => {
    const rules = calls.map(([name, args], at) => ({
      when: { role: "solo", call: at + 1 },
      respond: { tool_calls: [{ name, args }] },
    }));
    put("script.yaml", JSON.stringify({ rules: [...rules, { when: { role: "solo" }, respond: { text: "done" } }] }));
    put(
      "skills/desk/SKILL.md",
      "---\nname: desk\ndescription: d\ntriggers: [desk]\nallowed-tools: [desk.load, desk.get, desk.put, fs.write]\nversion: 1\nschema_version: v1\n---\n\nDo it.\n",
    );
    config({
      mcp: { servers: { desk: { command: process.execPath, args: own, rights } } },
      provider: "scripted",
      script: "script.yaml",
    });
    await trust();
    expect(await writ(["tool", "approve", "desk", "--yes"], { cwd })).toMatchObject({ status: 0 });
    const { json, stderr } = await writJson<{ session_id: string; status: string }>(
      ["run", "desk", "--skill", "desk", "--allow", "**"],
      { cwd },
    );
    const { stdout } = await writ(["session", "events", json.session_id, "--json"], { cwd });
    const { events } = JSON.parse(stdout) as { events: { type: string; payload: Record<string, unknown> }[] };
    const outputs = events.filter(({ type }) => type === "tool.output");
    return {
      status: json.status,
      stderr,
      said: outputs.map(({ payload }) => JSON.stringify(payload["content"] ?? payload["error"])),
    };
  };
  const write = (path: string, content: string) => {
    const file = join(cwd, path);
    const expected_hash = existsSync(file) ? sha256(readFileSync(file)) : "";
    return ["fs.write", { path, content, expected_hash, why: "a test" }] as const;
  };

  test("that was started before an agent wrote is started anew, and finds none of it", async () => {
    const { said } = await flow(
      { read: ["**"] },
      one,
      ["desk.load", {}],
      write("extra/b.mjs", 'export default "owned";\n'),
      write("plug.json", '["extra/b.mjs"]'),
      ["desk.load", {}],
      ["desk.get", { path: "plug.json" }],
    );
    expect(said[3]).toContain("nothing");
    expect(said[4]).toContain("does not see plug.json");
    expect(said[4]).toContain('`live: [\\"plug.json\\"]` under mcp.servers.desk.rights');
  });

  test("sees the data that it keeps beside its code, in the next process too", async () => {
    put("server/load.mjs", load);
    put("server/serve.mjs", serve);
    put("server/data.json", "[]");
    const own = { write: ["server/data.json"] };
    const args = ["server/serve.mjs"];
    const begin = { path: "server/data.json" };
    await flow(own, args, ["desk.put", { ...begin, text: "[1]" }]);
    expect(readFileSync(join(cwd, "server/data.json"), "utf8")).toBe("[1]");
    const again = await flow(
      own,
      args,
      ["desk.get", begin],
      ["desk.put", { ...begin, text: "[1,2]" }],
      ["desk.get", begin],
    );
    expect(again.said[0]).toContain('"[1]"');
    expect(again.said[2]).toContain("[1,2]");
  });

  test("sees the data that it wrote itself, also in the next process, and code only by the line", async () => {
    const own = { write: ["own/**"] };
    const first = await flow(
      own,
      one,
      ["desk.put", { path: "own/data.json", text: "[1]" }],
      ["desk.put", { path: "own/b.mjs", text: "x" }],
    );
    expect(first.status, first.stderr).toBe("success");
    const again = await flow(
      own,
      one,
      ["desk.get", { path: "own/data.json" }],
      ["desk.get", { path: "own/b.mjs" }],
      ["desk.put", { path: "own/b.mjs", text: "y" }],
    );
    expect(again.said[0]).toContain("[1]");
    expect(again.said[1]).toContain('`live: [\\"own/**\\"]`');
    expect(again.said[2]).toContain("own/b.mjs");
    expect(readFileSync(join(cwd, "own/b.mjs"), "utf8")).toBe("x");
    const shown = await flow(
      { ...own, live: ["own/**"] },
      one,
      ["desk.get", { path: "own/b.mjs" }],
      ["desk.put", { path: "own/b.mjs", text: "y" }],
    );
    expect(shown.said[0]).toContain("x");
    expect(readFileSync(join(cwd, "own/b.mjs"), "utf8")).toBe("y");
  });
});
