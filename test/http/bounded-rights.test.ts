// Rights of roles and keys that bound paths and money, held when an order is submitted; and orders that are corrected.
import { afterAll, beforeAll, expect, test } from "vitest";
import { cliWith } from "../support/fresh-cli.ts";
import { workOrder } from "../support/runtime-workspace.ts";
import { type TestServer, testServer } from "../support/server.ts";

const base = ["read", "order.submit", "framework:FMWK-005", "class:RESIDENT", "tool:*"];
let api: TestServer;
const keys: Record<string, string> = {};

beforeAll(async () => {
  api = await testServer({
    keysOnly: true,
    config: {
      identity: {
        local_roles: ["clerk", "keeper"],
        callers: { "omar@corp": { roles: ["operator"] }, "cleo@corp": { roles: ["clerk"] } },
        roles: {
          clerk: { grants: [...base, "path:notes/**", "read:docs/**", "usd:0.2", "tokens:20000"] },
          keeper: { grants: ["key.manage"] },
          owner: { grants: ["*"] },
        },
      },
    },
  });
  const admin = { id: "root", roles: [], grants: ["*"], authenticatedBy: "local" } as const;
  const make = async (name: string, caller_id: string, scope?: readonly string[]) => {
    const made = await api.workspace.runtime.keys.create(admin, { caller_id, ...(scope ? { scope } : {}) });
    if (!made.ok) throw new Error(made.error.message);
    keys[name] = made.value.key;
  };
  await make("operator", "omar@corp");
  await make("clerk", "cleo@corp");
  await make("narrow", "omar@corp", [...base, "path:notes/in/**", "usd:0.1"]);
});
afterAll(() => api[Symbol.asyncDispose]());

const budget = { token_limit: 5000, turn_limit: 1, usd_limit: 0.1 };

async function submit(key: string, changes: object) {
  const order = workOrder({ budget, ...changes });
  const headers = { authorization: `Bearer ${keys[key]}`, prefer: "wait=30" };
  const { json } = await api.post("/api/v1/flows", { work_order: order }, headers);
  return json as { status: string; error_code: string | null; error: string | null };
}

test.each([
  ["operator", { scope: { allowed_files: ["**"] }, budget: { ...budget, usd_limit: 9 } }, null],
  ["clerk", { scope: { allowed_files: ["notes/a.md"], read_files: ["docs/x", "notes/**"] } }, null],
  ["clerk", { scope: { allowed_files: ["**"] } }, '"path:**"'],
  ["clerk", { scope: { allowed_files: ["docs/x"] } }, '"path:docs/x"'],
  ["clerk", { scope: { read_files: ["payroll.csv"] } }, '"read:payroll.csv"'],
  ["clerk", { budget: { ...budget, usd_limit: 0.21 } }, '"usd:0.21"'],
  ["clerk", { budget: { ...budget, usd_limit: undefined } }, '"usd:0.5"'],
  ["clerk", { budget: { ...budget, token_limit: 20_001 } }, '"tokens:20001"'],
  ["narrow", { scope: { allowed_files: ["notes/in/a.md"] } }, null],
  ["narrow", { scope: { allowed_files: ["notes/a.md"] } }, '"path:notes/a.md"'],
  ["narrow", { budget: { ...budget, usd_limit: 0.11 } }, '"usd:0.11"'],
])("the key of %s submits %j: %s", async (key, changes, missing) => {
  const result = await submit(key, changes);
  if (missing === null) expect(result).toMatchObject({ status: "success" });
  else
    expect(result).toMatchObject({
      status: "rejected",
      error_code: "NOT_AUTHORIZED",
      error: expect.stringContaining(missing),
    });
});

test("the person at the machine is bounded by their roles too", async () => {
  const run = async (changes: object) => {
    const input = JSON.stringify(workOrder({ budget, ...changes }));
    return cliWith({ cwd: api.workspace.root, input }, "flow", "run", "-", "--json");
  };
  expect((await run({ scope: { allowed_files: ["notes/a.md"] } })).status).toBe(0);
  const refused = await run({ scope: { allowed_files: ["src/**"] } });
  expect(refused.status).toBe(3);
  expect(JSON.parse(refused.text)).toMatchObject({ error: expect.stringContaining('"path:src/**"') });
});

test("the mandate of a bounded order names the rights that bound it, and holds each act to them", async () => {
  const input = JSON.stringify(workOrder({ budget, scope: { allowed_files: ["notes/a.md"] } }));
  const explained = await cliWith({ cwd: api.workspace.root, input }, "flow", "explain", "-", "--json");
  const { mandate } = JSON.parse(explained.text) as { mandate: Record<string, { document: string }[]> };
  const document = `rights of ${api.workspace.runtime.caller}`;
  expect(mandate["write"]).toContainEqual({ document, lists: [{ path: "files", patterns: ["notes/**"] }] });
  expect(mandate["read"]?.map((source) => source.document)).toContain(document);
});

test("a key is given no wider bound than its holder has, and no misspelt right", async () => {
  const { root } = api.workspace;
  const create = (scope: string) => cliWith({ cwd: root }, "key", "create", "cleo@corp", "--scope", scope);
  expect((await create("path:notes/a/**")).status).toBe(0);
  expect((await create("path:**")).errors).toContain('cannot have "path:**"');
  expect((await create("usd:5")).errors).toContain('cannot have "usd:5"');
  expect((await create("paths:notes/**")).errors).toContain("is no right");
  // Its maker is bounded to notes/ and cannot make a key for a caller who is not.
  const wide = await cliWith({ cwd: root }, "key", "create", "omar@corp");
  expect(wide.errors).toContain("may not make a key for omar@corp");
});

test("an order that was rejected is corrected and submitted under its id; one that acted is not", async () => {
  const id = { work_order_id: "WO-20261115-777" };
  expect(await submit("clerk", { ...id, scope: { allowed_files: ["**"] } })).toMatchObject({ status: "rejected" });
  expect(await submit("clerk", { ...id, framework_id: "FMWK-999" })).toMatchObject({
    status: "rejected",
    error_code: "FRAMEWORK_NOT_FOUND",
  });
  expect(await submit("clerk", id)).toMatchObject({ status: "success" });
  expect(await submit("clerk", { ...id, input: { prompt: "else" } })).toMatchObject({
    detail: expect.stringContaining("was submitted before with another content"),
  });
  const headers = { authorization: `Bearer ${keys["clerk"]}` };
  const { json } = await api.get("/api/v1/sessions?limit=200", headers);
  const sessions = (json.sessions as { work_order_id: string; session_id: string }[]).filter(
    (each) => each.work_order_id === id.work_order_id,
  );
  // The rejections stay on record: three sessions, of which two were rejected.
  const rejected = await Promise.all(
    sessions.map(async ({ session_id }) =>
      (await api.workspace.events(session_id)).some(({ type }) => type === "wo.rejected"),
    ),
  );
  expect(rejected.filter((each) => each)).toHaveLength(2);
  expect(rejected).toHaveLength(3);
});
