import { generateKeyPairSync } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import type { WorkOrder } from "#core/contracts";
import { ok, seededRandom } from "#core/values";
import { workOrder } from "../../../test/support/runtime-workspace.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { openSharedStore } from "../../operate/store/sqlite-shared-store.ts";
import { signLink } from "../grants/sign-link.ts";
import { authorizeOrder } from "./authorize-order.ts";
import { type IdentityConfig, localCaller } from "./caller.ts";
import { createKeyring, type KeyInput } from "./keyring.ts";

const start = Date.UTC(2026, 10, 15);
const clock = manualClock(start);
const opened = openSharedStore(":memory:", clock);
if (!opened.ok) throw new Error(opened.error.message);
const store = opened.value;
afterAll(() => store.close());

const pair = generateKeyPairSync("ed25519");
const pemOf = (half: "public" | "private") =>
  half === "public"
    ? String(pair.publicKey.export({ type: "spki", format: "pem" }))
    : String(pair.privateKey.export({ type: "pkcs8", format: "pem" }));
const identity: IdentityConfig = {
  callers: {
    "ada@corp": { roles: ["admin"], public_keys: { ada: pemOf("public") } },
    "bob@corp": { roles: ["greeter", "reader"] },
    "eve@corp": {},
  },
  roles: {
    greeter: { grants: ["order.submit", "framework:FMWK-005", "class:RESIDENT", "tool:echo", "tool:fs.*"] },
    reader: { grants: ["read"] },
  },
  local_roles: ["admin"],
  dev: { allow: true, effects: [] },
  named_callers: { allow: true, effects: [] },
};
const ringOf = (config: IdentityConfig) =>
  createKeyring({
    store,
    identity: config,
    localCaller: "ada@corp",
    clock,
    random: seededRandom(7),
    record: async () => ok(undefined),
  });
const ring = ringOf(identity);

async function made(input: Partial<KeyInput> = {}) {
  const ada = localCaller("ada@corp", identity);
  const key = ada.ok ? await ring.create(ada.value, { caller_id: "bob@corp", ...input }) : ada;
  if (!key.ok) throw new Error(key.error.message);
  return key.value;
}

test("a key opens until the very millisecond at which it expires", async () => {
  const { key, key_id } = await made({ expiresAt: start + 1000 });
  clock.advance(999);
  expect(await ring.authenticate(key)).toMatchObject({ ok: true, value: { id: "bob@corp" } });
  clock.advance(1);
  expect(await ring.authenticate(key)).toMatchObject({ ok: false, error: { code: "NOT_AUTHORIZED" } });
  expect(await ring.restoreCaller("bob@corp", key_id)).toMatchObject({ ok: false, error: { code: "NOT_AUTHORIZED" } });
});

test("a scope never gives what the roles of its holder no longer do", async () => {
  const { key } = await made({ scope: ["read", "tool:echo"] });
  const demoted = ringOf({ ...identity, callers: { ...identity.callers, "bob@corp": { roles: ["reader"] } } });
  expect(await ring.authenticate(key)).toMatchObject({ value: { grants: ["tool:echo", "read"] } });
  expect(await demoted.authenticate(key)).toMatchObject({ value: { grants: ["read"] } });
});

test("a record that names another's key is not believed", async () => {
  const { key_id } = await made();
  expect(await ring.restoreCaller("bob@corp", key_id)).toMatchObject({ ok: true, value: { id: "bob@corp" } });
  expect(await ring.restoreCaller("eve@corp", key_id)).toMatchObject({ ok: false, error: { code: "NOT_AUTHORIZED" } });
});

test("what a chain hands to the holder of a key stays within the key's scope", async () => {
  const rights = ["order.submit", "framework:FMWK-005", "class:RESIDENT", "tool:echo", "tool:fs.write"];
  const { key } = await made({ scope: rights.slice(0, 4) });
  const bob = await ring.authenticate(key);
  const work_order_id = "WO-20261115-001";
  const handedOn = { from: "ada@corp", to: "bob@corp", grants: rights, work_order_id, key_id: "ada" };
  const link = signLink(handedOn, pemOf("private"));
  if (!bob.ok || !link.ok) throw new Error("no key or no link");
  const submit = (tool: string) => {
    const order = workOrder({
      work_order_id,
      tool_permissions: [tool],
      authorization: { chain: [link.value] },
    }) as unknown as WorkOrder;
    const budget = { token_limit: 5_000, usd_limit: 0 };
    const asked = { order, submitted: order, agent_class: "RESIDENT", budget };
    return authorizeOrder(asked, bob.value, { identity, clock, defaultBudget: budget });
  };
  expect(submit("echo")).toMatchObject({ ok: true });
  expect(submit("fs.write")).toMatchObject({ ok: false, error: { details: { right: "tool:fs.write" } } });
});
