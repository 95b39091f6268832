// A halt is lifted by who set it, or by somebody who may do at least as much.

import { expect, test } from "vitest";
import { type TestServer, testServer } from "../support/server.ts";

const identity = {
  callers: {
    "olga@example.org": { roles: ["operator"] },
    "otto@example.org": { roles: ["operator"] },
    "vera@example.org": { roles: ["viewer"] },
    "anna@example.org": { roles: ["admin"] },
  },
};

const anna = { id: "anna@example.org", roles: ["admin"], grants: ["*"], authenticatedBy: "local" } as const;

async function team(): Promise<{ server: TestServer; by: (name: string) => Record<string, string> }> {
  const server = await testServer({ config: { identity } });
  const keys = new Map<string, string>();
  for (const name of ["olga", "otto", "vera", "anna"]) {
    const made = await server.workspace.runtime.keys.create(anna, { caller_id: `${name}@example.org` });
    if (!made.ok) throw new Error(made.error.message);
    keys.set(name, made.value.key);
  }
  return { server, by: (name) => ({ authorization: `Bearer ${keys.get(name)}` }) };
}

const lift = async (server: TestServer, headers: Record<string, string>) => {
  const answer = await fetch(`${server.server.url}/api/v1/halts`, { method: "DELETE", headers });
  return { status: answer.status, json: JSON.parse(await answer.text()) };
};

test("an operator lifts no administrator's halt; an equal and a higher rank lift an operator's", async () => {
  const { server, by } = await team();
  await using _ = server;
  expect((await server.post("/api/v1/halts", { reason: "it leaks" }, by("anna"))).status).toBe(200);
  const refused = await lift(server, by("olga"));
  expect(refused).toMatchObject({ status: 403, json: { code: "NOT_AUTHORIZED" } });
  expect(refused.json.detail).toContain("anna@example.org");
  const standing = await server.get("/api/v1/halts", by("olga"));
  expect(standing.json.halts).toMatchObject([{ by: "anna@example.org", reason: "it leaks", may_lift: false }]);
  expect((await server.get("/api/v1/halts", by("anna"))).json.halts).toMatchObject([{ may_lift: true }]);
  expect((await lift(server, by("anna"))).json.halts).toEqual([]);

  for (const who of ["otto", "anna"]) {
    expect((await server.post("/api/v1/halts", { reason: "wait" }, by("olga"))).status).toBe(200);
    expect((await lift(server, by(who))).json.halts).toEqual([]);
  }
});

test("who halts what a lower rank had halted makes it theirs; the other way round changes nothing", async () => {
  const { server, by } = await team();
  await using _ = server;
  await server.post("/api/v1/halts", { reason: "wait" }, by("olga"));
  await server.post("/api/v1/halts", { reason: "it leaks" }, by("anna"));
  expect((await lift(server, by("olga"))).status).toBe(403);
  await server.post("/api/v1/halts", { reason: "mine" }, by("otto"));
  expect((await server.get("/api/v1/halts", by("olga"))).json.halts).toMatchObject([{ by: "anna@example.org" }]);
  expect((await lift(server, by("anna"))).status).toBe(200);
});

test("at the command line too: the rank of the person at this machine counts", async () => {
  const { server, by } = await team();
  await using _ = server;
  await server.post("/api/v1/halts", { reason: "it leaks" }, by("anna"));
  const { runtime } = server.workspace;
  const operator = { id: "olga@example.org", grants: ["read", "session.*"] };
  expect(await runtime.liftHalt(undefined, operator)).toMatchObject({ ok: false, error: { code: "NOT_AUTHORIZED" } });
  expect(await runtime.liftHalt()).toEqual({ ok: true, value: 1 }); // the local user of a new workspace is an administrator
});
