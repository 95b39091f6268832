// A browser signs in with a key: a cookie that no script reads stands for it, and changes nothing for other pages.

import { expect, test } from "vitest";
import { type TestServer, testServer } from "../support/server.ts";

const identity = { callers: { "olga@example.org": { roles: ["operator"] } } };
const anna = { id: "anna@example.org", roles: ["admin"], grants: ["*"], authenticatedBy: "local" } as const;

async function signedIn(): Promise<{ server: TestServer; cookie: string; set: string; key_id: string }> {
  const server = await testServer({ config: { identity }, keysOnly: true });
  const made = await server.workspace.runtime.keys.create(anna, { caller_id: "olga@example.org" });
  if (!made.ok) throw new Error(made.error.message);
  const answer = await server.post("/api/v1/sign-in", { key: made.value.key });
  expect(answer.json).toEqual({ caller: "olga@example.org" });
  const set = answer.headers.get("set-cookie") ?? "";
  return { server, cookie: set.split(";")[0] ?? "", set, key_id: made.value.key_id };
}

const halt = (server: TestServer, headers: Record<string, string>) =>
  server.post("/api/v1/halts", { reason: "wait" }, headers);

test("the cookie is the caller, in every request, and does not hold the key in the clear", async () => {
  const { server, cookie, set } = await signedIn();
  await using _ = server;
  expect(set).toContain("HttpOnly");
  expect(set).toContain("SameSite=Strict");
  expect(set).not.toContain("writkey");
  expect((await server.get("/api/v1/whoami", { cookie })).json).toMatchObject({ caller: "olga@example.org" });
  expect((await server.get("/api/v1/whoami")).status).toBe(401);
  expect((await server.get("/api/v1/whoami", { cookie: cookie.slice(0, -4) })).status).toBe(401);
  expect((await server.get("/api/v1/whoami", { cookie: "writ_sign_in=" })).status).toBe(401);
});

test("what changes something needs a page of this server behind it", async () => {
  const { server, cookie } = await signedIn();
  await using _ = server;
  expect((await halt(server, { cookie })).status).toBe(401); // no page says that it asked
  expect((await halt(server, { cookie, origin: "https://evil.example" })).status).toBe(403);
  expect((await halt(server, { cookie, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await halt(server, { cookie, origin: server.server.url })).status).toBe(200);
  expect((await halt(server, { cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
});

test("a key that is revoked ends the sign-in at once, and so does the sign-out", async () => {
  const { server, cookie, key_id } = await signedIn();
  await using _ = server;
  const out = await fetch(`${server.server.url}/api/v1/sign-in`, { method: "DELETE", headers: { cookie } });
  expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
  expect((await server.workspace.runtime.keys.revoke(anna, key_id, "lost")).ok).toBe(true);
  expect((await server.get("/api/v1/whoami", { cookie })).status).toBe(401);
});

test("a key that is not valid signs nobody in", async () => {
  await using server = await testServer({ keysOnly: true });
  const answer = await server.post("/api/v1/sign-in", { key: "writkey_not-a-key-of-anybody" });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("set-cookie")).toBeNull();
});
