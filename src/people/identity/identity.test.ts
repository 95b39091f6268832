import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { canonicalJson, sha256 } from "#core/values";
import { workOrder } from "../../../test/support/runtime-workspace.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { authorizeOrder, weighOrder } from "./authorize-order.ts";
import { callerOfKey, devCaller, type IdentityConfig, localCaller } from "./caller.ts";
import { covers } from "./covers.ts";

const pairs = { ada: generateKeyPairSync("ed25519"), bob: generateKeyPairSync("ed25519") };
const pem = (who: keyof typeof pairs) => String(pairs[who].publicKey.export({ type: "spki", format: "pem" }));
const identity: IdentityConfig = {
  callers: {
    "ada@corp": { roles: ["admin"], public_keys: { ada: pem("ada") } },
    "bob@corp": { roles: ["operator"], api_key_sha256: [sha256("bob's key")], public_keys: { bob: pem("bob") } },
    "eve@corp": { roles: ["viewer"] },
  },
  roles: { greeter: { grants: ["order.submit", "framework:FMWK-005", "class:RESIDENT", "tool:echo"] } },
  local_roles: ["greeter"],
};
const context = { identity, clock: manualClock(Date.UTC(2026, 10, 15)) };
const order = (changes: object = {}) => workOrder({ tool_permissions: ["echo"], ...changes }) as never;
const caller = (id: string) => {
  const known = localCaller(id, identity);
  if (!known.ok) throw new Error(known.error.message);
  return known.value;
};

describe("callers", () => {
  test("the local user has the roles that the workspace gives, by name or as a whole", () => {
    expect(caller("someone@local").grants).toContain("tool:echo");
    expect(caller("ada@corp").grants).toEqual(["*"]);
  });

  test("an API key is known by its hash alone", () => {
    expect(callerOfKey("bob's key", identity)).toMatchObject({
      ok: true,
      value: { id: "bob@corp", authenticatedBy: "api_key" },
    });
    for (const wrong of ["", "Bob's key", sha256("bob's key")])
      expect(callerOfKey(wrong, identity)).toMatchObject({ ok: false, error: { code: "NOT_AUTHORIZED" } });
  });

  test("a role that nobody defines is an error, not an empty set", () => {
    expect(localCaller("x", { ...identity, local_roles: ["wizard"] })).toMatchObject({
      ok: false,
      error: { code: "CONFIG_INVALID" },
    });
  });
});

describe("rights of an order", () => {
  test("are covered one by one, and what is missing is named with the way out", () => {
    expect(authorizeOrder(order(), "RESIDENT", caller("someone@local"), context).ok).toBe(true);
    expect(
      authorizeOrder(order({ tool_permissions: ["fs.write"] }), "RESIDENT", caller("someone@local"), context),
    ).toMatchObject({
      ok: false,
      error: {
        code: "NOT_AUTHORIZED",
        message: expect.stringContaining('"tool:fs.write"'),
        details: { hint: expect.stringContaining("identity") },
      },
    });
    expect(authorizeOrder(order(), "ADMIN", caller("someone@local"), context)).toMatchObject({ ok: false });
    expect(authorizeOrder(order(), "RESIDENT", caller("eve@corp"), context)).toMatchObject({ ok: false });
    expect(authorizeOrder(order({ tool_permissions: ["anything.*"] }), "ADMIN", devCaller("dev"), context).ok).toBe(
      true,
    );
  });

  test.each([
    [["tool:*"], "tool:fs.read", true],
    [["tool:fs.*"], "tool:fs.read", true],
    [["tool:fs.*"], "tool:echo", false],
    [["tool:fs.read"], "tool:fs.*", false],
    [["tool:fs.*"], "tool:fs.*", true],
    [["tool:*"], "tool:fs.*", true],
    [["tool:fs.*"], "tool:*", false],
    [["!tool:x"], "tool:y", false],
    [[], "read", false],
  ])("%j covers %s: %s", (grants, right, expected) => {
    expect(covers(grants, right)).toBe(expected);
  });
});

describe("an authorization chain", () => {
  const all = ["order.submit", "framework:FMWK-005", "class:RESIDENT", "tool:*"];
  const chained = (...chain: object[]) => order({ authorization: { chain } });
  const eve = () => caller("eve@corp");
  /** A link as its granter signs it. */
  const signed = (
    link: { readonly from: string; readonly [more: string]: unknown },
    who = link.from.slice(0, 3) as keyof typeof pairs,
  ) => {
    const body = { ...link, key_id: who };
    return {
      ...body,
      signature: sign(null, Buffer.from(canonicalJson(body)), pairs[who].privateKey).toString("base64"),
    };
  };
  const fromAda = (more: object = {}) => signed({ from: "ada@corp", to: "eve@corp", grants: all, ...more });

  test("hands rights from someone who has them to the one who submits", () => {
    const good = chained(
      signed({ from: "ada@corp", to: "bob@corp", grants: all }),
      signed({ from: "bob@corp", to: "eve@corp", grants: [...all.slice(0, 3), "tool:echo"] }),
    );
    expect(authorizeOrder(good, "RESIDENT", eve(), context)).toMatchObject({
      ok: true,
      value: { by: expect.stringContaining("ada@corp") },
    });
  });

  test.each([
    ["begins with a stranger", [{ from: "mallory", to: "eve@corp", grants: all }], "not known here"],
    ["is the submitter's own word", [{ from: "ada@corp", to: "eve@corp", grants: all }], "not signed by them"],
    [
      "is signed by another than the granter",
      [signed({ from: "ada@corp", to: "eve@corp", grants: all }, "bob")],
      "one of ada@corp's",
    ],
    [
      "hands on what it never had",
      [fromAda({ to: "bob@corp", grants: ["order.submit"] }), { from: "bob@corp", to: "eve@corp", grants: all }],
      "cannot hand it on",
    ],
    ["is broken in the middle", [fromAda({ to: "bob@corp" }), fromAda()], "the link before it went to"],
    ["ends with somebody else", [fromAda({ to: "bob@corp" })], "submits the order"],
    ["has expired", [fromAda({ expires_at: "2026-11-14T00:00:00.000Z" })], "expired"],
    ["is not yet in force", [fromAda({ granted_at: "2026-11-16T00:00:00.000Z" })], "only from"],
    [
      "is signed with an unknown key",
      [{ from: "ada@corp", to: "eve@corp", grants: all, key_id: "k", signature: "AAAA" }],
      "not trusted",
    ],
    ["names a key without a signature", [{ from: "ada@corp", to: "eve@corp", grants: all, key_id: "k" }], "not signed"],
  ])("is refused when it %s", (_, chain, words) => {
    const refused = authorizeOrder(chained(...chain), "RESIDENT", eve(), context);
    expect(refused).toMatchObject({ ok: false, error: { code: "NOT_AUTHORIZED" } });
    expect(!refused.ok && refused.error.message).toContain(words);
  });

  test("is signed, and every byte counts", () => {
    const weigh = (changes: object) => weighOrder(chained({ ...fromAda(), ...changes }), "RESIDENT", eve(), context);
    expect(weigh({}).ok).toBe(true);
    expect(weigh({ grants: [...all, "approve"] }).ok).toBe(false);
    expect(weigh({ signature: "not base64 at all" }).ok).toBe(false);
  });
});
