import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Caller, SessionId } from "#core/values";
import type { Event } from "#log";
import { cli } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

let space: TestWorkspace;
beforeAll(async () => {
  space = await testWorkspace({
    config: {
      identity: {
        local_roles: ["admin"],
        callers: {
          "ci@corp": { roles: ["operator"] },
          "eve@corp": { roles: ["viewer"] },
          "boss@corp": { roles: ["admin"] },
        },
        roles: { keeper: { grants: ["key.manage", "read"] } },
      },
    },
  });
});
afterAll(() => space[Symbol.asyncDispose]());

async function writ(...argv: string[]) {
  const { status, text, errors } = await cli(space.root, ...argv);
  return { status, text: text + errors };
}

async function created(...more: string[]) {
  const { status, text } = await writ("key", "create", ...more, "--json");
  expect(status, text).toBe(0);
  return JSON.parse(text) as { key: string; key_id: string; caller_id: string; scope: string[] | null };
}

async function holder(key: string): Promise<Caller> {
  const known = await space.runtime.keys.authenticate(key);
  if (!known.ok) throw new Error(known.error.message);
  return known.value;
}

/** Every event of the acts on keys. */
async function acts(): Promise<Event[]> {
  const all: Event[] = [];
  for await (const session of space.runtime.log.list())
    if (session.ok) all.push(...(await space.events(session.value.session_id)));
  return all.filter(({ type }) => type.startsWith("key."));
}

describe("an API key", () => {
  test("is shown once, kept as a hash, and opens what both its caller's roles and its scope grant", async () => {
    const { key, key_id } = await created("ci@corp", "--scope", "order.submit", "tool:fs.*", "--days", "1");
    expect(await holder(key)).toMatchObject({
      id: "ci@corp",
      authenticatedBy: "api_key",
      grants: expect.arrayContaining(["order.submit", "tool:fs.*"]),
    });
    expect((await holder(key)).grants).toHaveLength(2);
    expect((await writ("key", "list")).text).toContain(key_id);
    const secret = key.slice(`writkey_${key_id}_`.length); // may itself hold a "_"
    expect(JSON.stringify([await writ("key", "list", "--all", "--json"), await acts()])).not.toContain(secret);
    for (const wrong of [
      `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`,
      key.toUpperCase(),
      "",
      `writkey_${key_id}`,
    ])
      expect(await space.runtime.keys.authenticate(wrong)).toMatchObject({ error: { code: "NOT_AUTHORIZED" } });
  });

  test("that is revoked opens nothing, and each act is an event", async () => {
    const { key, key_id } = await created("ci@corp");
    expect((await holder(key)).grants).toContain("order.submit");
    expect((await writ("key", "revoke", key_id, "--reason", "lost laptop")).status).toBe(0);
    expect(await space.runtime.keys.authenticate(key)).toMatchObject({
      ok: false,
      error: { code: "NOT_AUTHORIZED", message: expect.stringContaining("revoked") },
    });
    // A session that began with it does not go on either.
    expect(await space.runtime.keys.restoreCaller("ci@corp", key_id)).toMatchObject({ ok: false });
    expect((await writ("key", "list")).text).not.toContain(key_id);
    expect((await writ("key", "list", "--all")).text).toMatch(new RegExp(`${key_id}.*revoked`));
    expect((await acts()).map(({ type, payload }) => [type, (payload as { key_id: string }).key_id])).toEqual(
      expect.arrayContaining([
        ["key.created", key_id],
        ["key.revoked", key_id],
      ]),
    );
    expect((await writ("key", "revoke", "0000000000000000")).text).toContain("no API key");
  });

  test("is made only by somebody who may, and never for more than they have", async () => {
    const keeper: Caller = { id: "k", roles: ["keeper"], grants: ["key.manage", "read"], authenticatedBy: "local" };
    const { keys } = space.runtime;
    expect(await keys.create({ ...keeper, grants: ["read"] }, { caller_id: "eve@corp" })).toMatchObject({ ok: false });
    expect(await keys.create(keeper, { caller_id: "eve@corp" })).toMatchObject({ ok: true });
    expect(await keys.create(keeper, { caller_id: "boss@corp" })).toMatchObject({ ok: false });
    expect(await keys.create(keeper, { caller_id: "boss@corp", scope: ["read"] })).toMatchObject({ ok: true });
    expect((await writ("key", "create", "eve@corp", "--scope", "approve")).text).toContain("do not grant it");
    expect((await writ("key", "create", "nobody@corp")).text).toContain("the workspace does not know the caller");
    expect((await writ("key", "create", "eve@corp", "--days", "-1")).text).toContain("--days");
  });
});

describe("a flow submitted with a key", () => {
  const submit = (caller: Caller, changes: object = {}, request: object = {}) =>
    space.runtime.runFlow({ work_order: workOrder(changes), caller_id: caller.id, ...request }, { caller });

  test("acts within the key's scope, and every record says who it was and how we know", async () => {
    const narrow = await created(
      "ci@corp",
      "--scope",
      "order.submit",
      "framework:FMWK-005",
      "class:RESIDENT",
      "tool:echo",
    );
    const caller = await holder(narrow.key);
    const done = await submit(caller);
    expect(done).toMatchObject({ status: "success" });
    expect((await space.events(done.session_id))[0]?.payload).toMatchObject({
      caller_id: "ci@corp",
      authenticated_by: "api_key",
      key_id: narrow.key_id,
      dev_mode: false,
    });
    expect(await submit(caller, { tool_permissions: ["fs.write"] })).toMatchObject({
      status: "rejected",
      error_code: "NOT_AUTHORIZED",
    });
    const [local] = await space.events((await space.order()).session_id);
    expect(local?.payload).toMatchObject({ authenticated_by: "local" });
  });

  test("cannot speak for others, nor in development mode, nor by an authorization chain beyond its scope", async () => {
    const caller = await holder((await created("eve@corp", "--scope", "read")).key);
    const all = ["order.submit", "framework:FMWK-005", "class:RESIDENT"];
    for (const [changes, request] of [
      [{}, { caller_id: "boss@corp" }],
      [{}, { dev_mode: true }],
      [{ authorization: { chain: [{ from: "boss@corp", to: "eve@corp", grants: all }] } }, {}],
    ] as const)
      expect(await submit(caller, changes, request)).toMatchObject({
        status: "rejected",
        error_code: "NOT_AUTHORIZED",
      });
  });

  test("forks with the rights of whoever forks, not with those of the session that is forked", async () => {
    const { session_id } = await space.order();
    const id = session_id as SessionId;
    const at = (await space.events(id)).length;
    const reader = await holder((await created("eve@corp", "--scope", "read")).key);
    const forked = await space.runtime.forkSession(id, { at, caller: reader });
    expect(forked).toMatchObject({ value: { status: "rejected", error_code: "NOT_AUTHORIZED" } });
    const narrow = await holder((await created("ci@corp")).key);
    const own = await space.runtime.forkSession(id, { at, caller: narrow });
    expect(own).toMatchObject({ value: { status: "success" } });
    if (own.ok)
      expect((await space.events(own.value.session_id))[0]?.payload).toMatchObject({
        caller_id: "ci@corp",
        authenticated_by: "api_key",
      });
  });
});
