// MCP servers that are programs: what they are, what they see, and what becomes of what they write.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalJson, sha256 } from "#core/values";
import { writ, writJson } from "../support/resident-writ.ts";

const place = mkdtempSync(join(tmpdir(), "writ-servers-"));
const cwd = join(place, "workspace");
const put = (path: string, text: string) => {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
const desk = (more: object = {}) => ({ desk: { command: process.execPath, args: ["server/index.mjs"], ...more } });
const config = (servers: object, more: object = {}) =>
  put("writ.yaml", JSON.stringify({ version: 1, mcp: { servers }, ...more }));
const call = (tool: string, args: object, ...more: string[]) =>
  writ(["tool", "call", tool, JSON.stringify(args), ...more], { cwd });

const index = `import { existsSync, readFileSync, writeFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { answer } from "./lib.mjs";
const tools = ["say", "put", "get", "look"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
const acts = {
  say: () => answer(),
  put: ({ path, text }) => (writeFileSync(path, text), "written"),
  get: ({ path }) => readFileSync(path, "utf8"),
  look: ({ paths }) => paths.map((path) => path + ":" + (existsSync(path) ? readdirSync(path) : "nothing")).join(" "),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answered = (result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  const initialized = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "desk", version: "1" } };
  if (method === "initialize") return answered(initialized);
  if (method === "tools/list") return answered({ tools });
  if (method !== "tools/call") return process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }) + "\\n");
  try {
    answered({ content: [{ type: "text", text: acts[params.name](params.arguments ?? {}) }] });
  } catch (thrown) {
    answered({ isError: true, content: [{ type: "text", text: String(thrown) }] });
  }
});
`;

beforeAll(async () => {
  await writ(["init", cwd]);
  put("server/index.mjs", index);
  put("server/lib.mjs", 'export const answer = () => "agreed";\n');
  config(desk());
  expect(await writ(["tool", "approve", "desk", "--yes"], { cwd })).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("a server runs what its person agreed to, whatever an agent writes into the modules that it imports", async () => {
  expect((await call("desk.say", {})).stdout).toContain("agreed");
  const content = `import { writeFileSync } from "node:fs";\ntry { writeFileSync(${JSON.stringify(`${place}/owned`)}, ""); } catch {}\nexport const answer = () => "owned";\n`;
  const expected_hash = sha256(readFileSync(join(cwd, "server/lib.mjs")));
  const edit = { path: "server/lib.mjs", content, expected_hash, why: "an agent wants it" };
  expect(await call("fs.write", edit, "--allow", "**", "server/lib.mjs")).toMatchObject({ status: 0 });
  const after = await call("desk.say", {});
  expect(after.stdout).toContain("agreed");
  expect(after.stderr).toContain("server/lib.mjs was written by an agent");
  expect(await writ(["trust", "--yes"], { cwd })).toMatchObject({ status: 0 });
  expect((await call("desk.say", {})).stdout).toContain("owned");
  expect(existsSync(join(place, "owned"))).toBe(false); // agreed to, it still has a sandbox
});

test("a server sees its own files; the message of a call that misses something names the line that gives it", async () => {
  put("notes/a.txt", "one");
  put(".env", "TOKEN=1");
  const hidden = ["notes", "planes", "keys", "/home", "/root", "/etc/ssh"];
  const looked = await call("desk.look", { paths: ["server", ...hidden] });
  expect(looked.stdout).toContain(["server:index.mjs,lib.mjs", ...hidden.map((path) => `${path}:nothing`)].join(" "));
  const missing = await call("desk.get", { path: join(cwd, "notes/a.txt") });
  expect(missing.stderr + missing.stdout).toContain(
    '`rights: { write: ["notes/a.txt"] }`, or `read` to look only, under mcp.servers.desk',
  );
  config(desk({ rights: { read: ["**"] } }));
  expect((await call("desk.get", { path: "notes/a.txt" })).stdout).toContain("one");
  const refused = await call("desk.put", { path: "notes/a.txt", text: "two" }, "--allow", "**");
  expect(refused).toMatchObject({ status: 3 });
  expect(refused.stdout + refused.stderr).toContain(
    'nothing of that is kept: it has no right to write there; `rights: { write: ["notes/a.txt"] }`',
  );
  expect(readFileSync(join(cwd, "notes/a.txt"), "utf8")).toBe("one");
  // A server whose data lies beside its code says that it kept them: without a right it did not.
  config(desk());
  const beside = await call("desk.put", { path: "server/data.json", text: "[]" }, "--allow", "**");
  expect(beside.stdout + beside.stderr).toContain('`rights: { write: ["server/data.json"] }`');
  // What it leaves by the way is no effect of the call.
  expect(await call("desk.put", { path: "desk.log", text: "started" })).toMatchObject({ status: 0 });
});

test("what a server could not keep is seen by no later call", async () => {
  put("notes/a.txt", "one");
  put(
    "script.yaml",
    JSON.stringify({
      rules: [
        {
          when: { call: 1 },
          respond: { tool_calls: [{ name: "desk.put", args: { path: "notes/a.txt", text: "two" } }] },
        },
        { when: { call: 2 }, respond: { tool_calls: [{ name: "desk.get", args: { path: "notes/a.txt" } }] } },
        { when: {}, respond: { text: "done" } },
      ],
    }),
  );
  put(
    "skills/desk/SKILL.md",
    "---\nname: desk\ndescription: d\ntriggers: [desk]\nallowed-tools: [desk.put, desk.get]\nversion: 1\nschema_version: v1\n---\n\nDo it.\n",
  );
  config(desk({ rights: { read: ["**"] } }), { provider: "scripted", script: "script.yaml" });
  const { json } = await writJson<{ session_id: string }>(["run", "desk", "--skill", "desk"], { cwd });
  const { stdout } = await writ(["session", "events", json.session_id, "--json"], { cwd });
  const { events } = JSON.parse(stdout) as { events: { type: string; payload: Record<string, unknown> }[] };
  const shown = events
    .filter(({ type }) => type === "tool.output")
    .map(({ payload }) => JSON.stringify(payload["content"]));
  expect(shown[0]).toContain("nothing of that is kept");
  expect(shown[1]).toContain("one");
});

test("what a server writes is a turn of its session: its order's grants bound it, other tools see it, and it lands whole", async () => {
  const rules = [
    ["desk.put", { path: "notes/a.txt", text: "two" }],
    ["fs.edit", { path: "notes/a.txt", edits: [{ old: "two", new: "three" }], why: "to see" }],
    ["desk.get", { path: "notes/a.txt" }],
    ["desk.put", { path: "notes/b.txt", text: "new" }],
    ["fs.read", { path: "notes/b.txt" }],
  ].map(([name, args], at) => ({ when: { role: "solo", call: at + 1 }, respond: { tool_calls: [{ name, args }] } }));
  put("notes/a.txt", "one");
  put("plans/a.txt", "");
  put("script.yaml", JSON.stringify({ rules: [...rules, { when: { role: "solo" }, respond: { text: "done" } }] }));
  const tools = ["desk.put", "desk.get", "fs.edit", "fs.read"];
  put(
    "skills/desk/SKILL.md",
    `---\nname: desk\ndescription: d\ntriggers: [desk]\nallowed-tools: [${tools.join(", ")}]\nversion: 1\nschema_version: v1\n---\n\nDo it.\n`,
  );
  config(desk({ rights: { write: ["notes/**", "plans/**"] } }), { provider: "scripted", script: "script.yaml" });
  const { json, stderr } = await writJson<{ status: string; session_id: string }>(
    ["run", "desk", "--skill", "desk", "--allow", "notes/**"],
    { cwd },
  );
  expect(json, stderr).toMatchObject({ status: "success" });
  const { stdout } = await writ(["session", "events", json.session_id, "--json"], { cwd });
  const { events } = JSON.parse(stdout) as { events: { type: string; payload: Record<string, unknown> }[] };
  const outputs = events
    .filter(({ type }) => type === "tool.output")
    .map(({ payload }) => JSON.stringify(payload["content"]));
  expect(outputs[2]).toContain("three");
  expect(outputs[4]).toContain("new");
  expect(events.filter(({ type }) => type === "turn.committed").map(({ payload }) => payload["outputs"])).toMatchObject(
    [
      [{ path: "notes/a.txt", change: "change" }],
      [{ path: "notes/a.txt", change: "change" }],
      [],
      [{ path: "notes/b.txt", change: "create" }],
    ],
  );
  const results = events.filter(
    ({ type, payload }) => type === "tool.result" && String(payload["name"]).startsWith("desk."),
  );
  expect(results.map(({ payload }) => payload["tier"])).toEqual(["T3", "T3", "T3"]);
  expect(readFileSync(join(cwd, "notes/a.txt"), "utf8")).toBe("three");
  expect(readFileSync(join(cwd, "notes/b.txt"), "utf8")).toBe("new");

  const ungranted = await call("desk.put", { path: "plans/c.txt", text: "sly" });
  expect(ungranted.stdout + ungranted.stderr).toContain("UNDECLARED_WRITE");
  expect(existsSync(join(cwd, "plans/c.txt"))).toBe(false);
  expect(await writ(["session", "verify", "--all"], { cwd })).toMatchObject({ status: 0 });
});

describe("a server that only reads", () => {
  interface Recorded {
    readonly type: string;
    readonly payload: Readonly<Record<string, unknown>>;
  }
  let orders = 0;
  /** A model that makes these calls one after the other, under an order with this scope. */
  const flow = async (scope: object, ...calls: readonly (readonly [string, object])[]) => {
    const rules = calls.map(([name, args], at) => ({
      when: { role: "solo", call: at + 1 },
      respond: { tool_calls: [{ name, args }] },
    }));
    put("script.yaml", JSON.stringify({ rules: [...rules, { when: { role: "solo" }, respond: { text: "done" } }] }));
    orders += 1;
    put(
      "order.json",
      JSON.stringify({
        work_order_id: `WO-20261115-20000${orders}`,
        type: "solo",
        plane_id: "ho1",
        framework_id: "FMWK-005",
        spec_id: "SPEC-ORCHESTRATION-001",
        schema_version: "v2",
        input: { prompt: "look into the notes" },
        acceptance: {},
        scope,
        tool_permissions: ["desk.get", "desk.look", "fs.write"],
        budget: { token_limit: 50_000, turn_limit: 9, timeout_seconds: 60 },
      }),
    );
    const { json } = await writJson<{ session_id: string }>(["flow", "run", "order.json"], { cwd });
    const { stdout } = await writ(["session", "events", json.session_id, "--json"], { cwd });
    const { events } = JSON.parse(stdout) as { events: readonly Recorded[] };
    const all = (type: string) => events.flatMap((event) => (event.type === type ? [event.payload] : []));
    const outputs = all("tool.output").map(({ content, error }) => JSON.stringify(content ?? error));
    return { outputs, results: all("tool.result"), refused: all("tool.refused") };
  };
  const narrow = { allowed_files: ["notes/**"], forbidden_files: ["notes/payroll.csv"] };
  const reading = (more: object = {}) => {
    put("notes/a.txt", "one");
    put("notes/payroll.csv", "ada,3912.00");
    put("src/a.ts", "let x;");
    config(desk({ rights: { live: ["**"], ...more } }), { provider: "scripted", script: "script.yaml" });
  };

  test("sees what its order may read and nothing else, what the order wrote included; the record says which, and G3 weighs it", async () => {
    reading();
    const written = { path: "notes/new.txt", content: "fresh", expected_hash: "", why: "a test" };
    const { outputs, results } = await flow(
      narrow,
      ["desk.get", { path: "notes/payroll.csv" }],
      ["desk.get", { path: "src/a.ts" }],
      ["desk.get", { path: "notes/a.txt" }],
      ["fs.write", written],
      ["desk.get", { path: "notes/new.txt" }],
    );
    expect(outputs[0]).toContain("ENOENT");
    expect(outputs.join()).not.toContain("3912");
    expect(outputs[1]).toContain("ENOENT");
    expect(outputs[2]).toContain("one");
    expect(outputs[4]).toContain("fresh");
    const set = { read: [["notes/**"], ["**"]], forbidden: ["notes/payroll.csv"] };
    for (const result of results.filter(({ name }) => name === "desk.get"))
      expect(result["visible"]).toEqual({ ...set, hash: sha256(canonicalJson(set)) });
    expect(await writ(["gate", "check", "--all"], { cwd })).toMatchObject({ status: 0 });
    expect(await writ(["session", "verify", "--all"], { cwd })).toMatchObject({ status: 0 });
  });

  test("shows all that it reads to an order that may read all of it", async () => {
    reading();
    const { outputs } = await flow({ read_files: ["**"] }, ["desk.get", { path: "notes/payroll.csv" }]);
    expect(outputs[0]).toContain("3912");
  });

  test("is not called under an order that names other hosts than it reaches", async () => {
    for (const rights of [{ hosts: ["example.org"] }, { tier: "T1" }]) {
      reading(rights);
      const call = ["desk.look", { paths: ["notes"] }] as const;
      const refusing = await flow({ read_files: ["**"], hosts: ["example.com"] }, call);
      expect(refusing.refused).toMatchObject([{ code: "CAPABILITY_VIOLATION", clauses: [{ path: "scope.hosts" }] }]);
      expect(refusing.results).toEqual([]);
      const silent = await flow({ read_files: ["**"] }, call);
      expect(silent.refused).toEqual([]);
    }
  });
});

test("only by name a server runs without a sandbox, and every record of its calls says so", async () => {
  config(desk({ rights: { tier: "T1" } }));
  const { json } = await writJson<{ session_id: string }>(["tool", "call", "desk.look", '{"paths":["/etc"]}'], { cwd });
  const { stdout } = await writ(["session", "events", json.session_id, "--json"], { cwd });
  expect(stdout).toContain('"tier": "T1"');
  expect(stdout).toContain("passwd");
});
