import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { WorkOrder } from "#core/contracts";
import { canonicalJson, sha256 } from "#core/values";
import { workOrder } from "../../../test/support/runtime-workspace.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { hashOfOrder } from "../grants/link-binding.ts";
import { authorizeOrder, type OrderToWeigh, weighOrder } from "./authorize-order.ts";
import { callerOfKey, devCaller, type IdentityConfig, localCaller } from "./caller.ts";
import { covers } from "./covers.ts";
import { intersectGrants } from "./intersect-grants.ts";

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
  dev: { allow: true, effects: [] },
  named_callers: { allow: true, effects: [] },
};
const defaultBudget = { token_limit: 10_000, usd_limit: 0.5 };
const context = { identity, clock: manualClock(Date.UTC(2026, 10, 15)), defaultBudget };
const order = (changes: object = {}) => workOrder({ tool_permissions: ["echo"], ...changes }) as unknown as WorkOrder;
/** An order as the flow weighs it. */
const asked = (given: WorkOrder, agent_class = "RESIDENT"): OrderToWeigh => ({
  order: given,
  submitted: given,
  agent_class,
  budget: { ...defaultBudget, ...given.budget },
});
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
    expect(authorizeOrder(asked(order(), "RESIDENT"), caller("someone@local"), context).ok).toBe(true);
    expect(
      authorizeOrder(asked(order({ tool_permissions: ["fs.write"] }), "RESIDENT"), caller("someone@local"), context),
    ).toMatchObject({
      ok: false,
      error: {
        code: "NOT_AUTHORIZED",
        message: expect.stringContaining('"tool:fs.write"'),
        details: { hint: expect.stringContaining("identity") },
      },
    });
    expect(authorizeOrder(asked(order(), "ADMIN"), caller("someone@local"), context)).toMatchObject({ ok: false });
    expect(authorizeOrder(asked(order(), "RESIDENT"), caller("eve@corp"), context)).toMatchObject({ ok: false });
  });

  test("in development mode everything may be submitted, and only what the configuration names really acts", () => {
    const dev = (effects: readonly string[], tools: readonly string[], isNamed = false) => {
      const config = { ...identity, [isNamed ? "named_callers" : "dev"]: { allow: true, effects } };
      const known = devCaller("dev", { isNamed, config });
      return known.ok && authorizeOrder(asked(order({ tool_permissions: tools }), "ADMIN"), known.value, context).ok;
    };
    expect(dev([], ["echo", "fs.read"])).toBe(true);
    expect(dev([], ["fs.*"])).toBe(false);
    expect(dev([], ["mail.send"], true)).toBe(false);
    expect(dev(["fs.*"], ["fs.write", "fs.*"])).toBe(true);
    expect(dev(["mail.*"], ["mail.send"], true)).toBe(true);
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
  const range = {
    tools: ["*"],
    files: ["notes/**"],
    usd: 1,
    tokens: 10_000,
    uses: 2,
    expires_at: "2026-12-01T00:00:00.000Z",
  };
  /** A link as its granter signs it. */
  const signed = (
    link: { readonly from: string; readonly [more: string]: unknown },
    who = link.from.slice(0, 3) as keyof typeof pairs,
  ) => {
    const body = { range, ...link, key_id: who };
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
    expect(authorizeOrder(asked(good, "RESIDENT"), eve(), context)).toMatchObject({
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
    const refused = authorizeOrder(asked(chained(...chain), "RESIDENT"), eve(), context);
    expect(refused).toMatchObject({ ok: false, error: { code: "NOT_AUTHORIZED" } });
    expect(!refused.ok && refused.error.message).toContain(words);
  });

  test("is signed, and every byte counts", () => {
    const weigh = (changes: object) =>
      weighOrder(asked(chained({ ...fromAda(), ...changes }), "RESIDENT"), eve(), context);
    expect(weigh({}).ok).toBe(true);
    expect(weigh({ grants: [...all, "approve"] }).ok).toBe(false);
    expect(weigh({ signature: "not base64 at all" }).ok).toBe(false);
  });

  const refusal = (link: object, changes: object = {}) => {
    const weighed = weighOrder(asked(order({ authorization: { chain: [link] }, ...changes })), eve(), context);
    return weighed.ok ? "accepted" : weighed.error.message;
  };

  test.each([
    ["another tool", { tools: ["fs.*"] }, {}, '"tool:echo"'],
    ["a program", { tools: ["echo"] }, { acceptance: { tests: ["npm test"] } }, '"tool:exec"'],
    ["another path", {}, { scope: { allowed_files: ["**"] } }, '"path:**"'],
    ["a path that leaves the folder", {}, { scope: { allowed_files: ["notes/../x"] } }, '"path:notes/../x"'],
    ["another path to read", { read_files: ["docs/**"] }, { scope: { read_files: ["src/a.ts"] } }, '"read:src/a.ts"'],
    ["a host", {}, { scope: { hosts: ["example.org"] } }, '"host:example.org"'],
    ["more tokens", {}, { budget: { token_limit: 9_000_000 } }, '"tokens:9000000"'],
    ["the default's tokens", { tokens: 9_999 }, { budget: {} }, '"tokens:10000"'],
    ["more money", {}, { budget: { usd_limit: 1.01 } }, '"usd:1.01"'],
    ["a time after its end", { expires_at: "2026-11-14T00:00:00.000Z" }, {}, "expired at 2026-11-14"],
  ])("with a range is not good for %s", (_, narrower, changes, words) => {
    expect(refusal(fromAda({ range: { ...range, ...narrower } }), changes)).toContain(words);
  });

  test("with a range is good for every order that lies within", () => {
    for (const allowed_files of [[], ["notes/**"], ["notes/a/*.md"], ["notes/a.md", "notes/b/"]])
      expect(refusal(fromAda(), { scope: { allowed_files, read_files: ["notes/**"] } })).toBe("accepted");
  });

  test("of the first version is good for the order that it names, without paths and within the default budget", () => {
    const old = (more: object = {}) => fromAda({ range: undefined, work_order_id: "WO-20261115-001", ...more });
    const same = { work_order_id: "WO-20261115-001" };
    expect(refusal(old(), same)).toBe("accepted");
    expect(refusal(old())).toContain("was granted for WO-20261115-001");
    expect(refusal(old(), { ...same, scope: { allowed_files: ["a"] } })).toContain("grants no path");
    expect(refusal(old(), { ...same, budget: { token_limit: 10_001 } })).toContain('"tokens:10001"');
    expect(refusal(old({ work_order_id: undefined }), same)).toContain("names neither an order");
  });

  test("that names an order by its hash is good for that order alone, byte for byte", () => {
    const named = order({ scope: { allowed_files: ["**"] }, budget: { token_limit: 9_000_000 } });
    const link = fromAda({ range: undefined, order_hash: hashOfOrder(named) });
    expect(refusal(link, { ...named })).toBe("accepted");
    expect(refusal(link, { ...named, idempotency_key: "of the request" })).toBe("accepted");
    for (const changes of [{ work_order_id: "WO-20261115-002" }, { scope: {} }, { input: { prompt: "else" } }])
      expect(refusal(link, { ...named, ...changes })).toContain("names another order by its hash");
  });

  test("hands on no farther than its granter reaches", () => {
    const bounded = { ...identity, roles: { clerk: { grants: [...all, "path:notes/in/**", "usd:0.5"] } } };
    const callers = { ...identity.callers, "ada@corp": { ...identity.callers["ada@corp"], roles: ["clerk"] } };
    const weigh = (changes: object) =>
      weighOrder(asked(order({ authorization: { chain: [fromAda()] }, ...changes })), eve(), {
        ...context,
        identity: { ...bounded, callers },
      });
    const granted = (changes: object) => {
      const weighed = weigh(changes);
      return weighed.ok && weighed.value.needs.every((need) => need.granted);
    };
    expect(granted({ scope: { allowed_files: ["notes/in/a.md"] } })).toBe(true);
    expect(granted({ scope: { allowed_files: ["notes/a.md"] } })).toBe(false);
    expect(granted({ budget: { usd_limit: 0.6 } })).toBe(false);
  });
});

describe("rights that bound", () => {
  const config = (roles: Record<string, readonly string[]>): IdentityConfig => ({
    ...identity,
    roles: Object.fromEntries(Object.entries(roles).map(([role, grants]) => [role, { grants }])),
    local_roles: Object.keys(roles),
  });
  const may = (roles: Record<string, readonly string[]>, changes: object) => {
    const who = localCaller("x", config(roles));
    return who.ok && authorizeOrder(asked(order(changes)), who.value, context).ok;
  };
  const base = ["order.submit", "framework:*", "class:*", "tool:*"];

  test.each([
    [["path:notes/**"], { scope: { allowed_files: ["notes/a.md"] } }, true],
    [["path:notes/**"], { scope: { allowed_files: ["**"] } }, false],
    [["path:notes/**"], { scope: { read_files: ["notes/a.md"] } }, true],
    [["path:notes/**"], { scope: { read_files: ["docs/a.md"] } }, false],
    [["path:notes/**", "read:**"], { scope: { read_files: ["docs/a.md"] } }, true],
    [["read:**"], { scope: { allowed_files: ["a"] } }, false],
    [["path:notes/*"], { scope: { allowed_files: ["notes/*/b"] } }, false],
    [["tokens:5000"], { budget: { token_limit: 5_000 } }, true],
    [["tokens:5000"], { budget: { token_limit: 5_001 } }, false],
    [["usd:0.1"], { budget: {} }, false],
    [["host:*.example.org"], { scope: { hosts: ["evil.org"] } }, false],
    [[], { scope: { allowed_files: ["**"], hosts: ["evil.org"] }, budget: { usd_limit: 9 } }, true],
  ])("%j, and the order has %j: %s", (bounds, changes, expected) => {
    expect(may({ clerk: [...base, ...bounds] }, changes)).toBe(expected);
  });

  test("of one role are lifted by another that submits without them, and by no other", () => {
    const wide = { scope: { allowed_files: ["**"] } };
    const clerk = [...base, "path:notes/**"];
    expect(may({ clerk, reader: ["read"] }, wide)).toBe(false);
    expect(may({ clerk, boss: base }, wide)).toBe(true);
  });

  test("are narrowed by a key, never widened, and what is left of none is nothing", () => {
    expect(intersectGrants(["path:notes/**", "usd:5"], ["path:**", "usd:2"])).toEqual(["path:notes/**", "usd:2"]);
    expect(intersectGrants(base, ["order.submit", "path:notes/**"])).toContain("path:notes/**");
    expect(intersectGrants(["read", "path:a/**"], ["read", "path:b/**"])).toEqual(["read", "path:"]);
    expect(covers(["path:"], "path:a")).toBe(false);
  });

  test("that are misspelt are an error, not a bound that holds nothing", () => {
    for (const right of ["paths:notes/**", "usd:much", "tokens:-1"])
      expect(localCaller("x", config({ clerk: [...base, right] }))).toMatchObject({
        ok: false,
        error: { code: "CONFIG_INVALID", message: expect.stringContaining(right) },
      });
  });
});
