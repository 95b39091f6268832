import { generateKeyPairSync, sign } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canonicalJson } from "#core/values";
import { cliWith } from "../../../test/support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../../../test/support/runtime-workspace.ts";

const ada = generateKeyPairSync("ed25519");
const rights = ["order.submit", "framework:FMWK-005", "class:RESIDENT", "tool:*"];

let space: TestWorkspace;
beforeAll(async () => {
  const laptop = ada.publicKey.export({ type: "spki", format: "pem" }).toString();
  const callers = { "ada@corp": { roles: ["admin"], public_keys: { laptop } } };
  space = await testWorkspace({ config: { identity: { local_roles: ["viewer"], callers } } });
  writeFileSync(join(space.root, "ada.pem"), ada.privateKey.export({ type: "pkcs8", format: "pem" }));
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  writeFileSync(join(space.root, "rsa.pem"), other.export({ type: "pkcs8", format: "pem" }));
});
afterAll(() => space[Symbol.asyncDispose]());

const writ = (piped: unknown, ...argv: readonly string[]) =>
  cliWith({ cwd: space.root, input: JSON.stringify(piped) }, ...argv);

const grant = (order: unknown, to: string, ...more: readonly string[]) =>
  writ(
    order,
    "flow",
    "grant",
    "-",
    "--from",
    "ada@corp",
    "--to",
    to,
    "--key-id",
    "laptop",
    "--grant",
    ...rights,
    ...more,
  );

test("an order that its submitter may not submit goes through once a caller who may has signed for it", async () => {
  const order = workOrder();
  expect((await writ(order, "flow", "explain", "-")).status).toBe(3);
  const granted = await grant(order, space.runtime.caller, "--key", "ada.pem", "--days", "7");
  expect(granted.status, granted.text).toBe(0);
  const signed = JSON.parse(granted.text) as { authorization: { chain: { grants: string[]; expires_at: string }[] } };
  expect(Date.parse(signed.authorization.chain[0]?.expires_at ?? "")).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  const explained = await writ(signed, "flow", "explain", "-");
  expect(explained.status, explained.text).toBe(0);
  const forged = structuredClone(signed);
  forged.authorization.chain[0]?.grants.push("halt");
  expect((await writ(forged, "flow", "explain", "-")).errors).toContain("signature that does not match");
  const run = await writ(signed, "flow", "run", "-", "--json");
  expect(JSON.parse(run.text)).toMatchObject({ status: "success" });
});

const nightly = (changes: object = {}) => workOrder({ schema_version: "v2", ...changes });
const chainOf = (text: string) => (JSON.parse(text) as { authorization: object }).authorization;
const run = async (order: unknown) => {
  const { status, text } = await writ(order, "flow", "run", "-", "--json");
  return { exit: status, ...(JSON.parse(text) as { status: string; error: string | null; error_code: string | null }) };
};
const refusedFor = (words: string) => ({
  exit: 3,
  status: "rejected",
  error_code: "NOT_AUTHORIZED",
  error: expect.stringContaining(words),
});

test("a link is good for the order that was signed: copied into another it is refused, and the same order acts once", async () => {
  const order = nightly();
  const granted = await grant(order, space.runtime.caller, "--key", "ada.pem");
  const signed = JSON.parse(granted.text) as Record<string, unknown>;
  const authorization = chainOf(granted.text);
  const wider = { scope: { allowed_files: ["**"] }, budget: { token_limit: 9_000_000 }, tool_permissions: ["fs.*"] };
  expect(await run(nightly({ ...wider, authorization }))).toMatchObject(refusedFor("names another order by its hash"));
  expect(await run({ ...signed, ...wider })).toMatchObject(refusedFor("was changed since"));
  expect(await run(signed)).toMatchObject({ exit: 0, status: "success" });
  expect(await run(signed)).toMatchObject({ exit: 0, status: "success", deduplicated: true });
});

test("a link with a range is good for orders within, as often as it says, also after a restart and a lost store", async () => {
  const more = ["--key", "ada.pem", "--uses", "2", "--days", "1", "--usd", "0.5", "--files", "notes/**"];
  const granted = await grant(nightly(), space.runtime.caller, ...more);
  expect(granted.status, granted.errors).toBe(0);
  const authorization = chainOf(granted.text);
  const within = (changes: object = {}) => nightly({ authorization, ...changes });
  expect(authorization).toMatchObject({ chain: [{ range: { files: ["notes/**"], tokens: 5000, usd: 0.5, uses: 2 } }] });
  const beyond = within({ scope: { allowed_files: ["**"] } });
  expect(await run(beyond)).toMatchObject(refusedFor('"path:**" (its scope.allowed_files name it)'));
  expect(await run(within({ budget: { token_limit: 5001 } }))).toMatchObject(refusedFor('"tokens:5001"'));
  expect(await run(within({ budget: { token_limit: 5000, usd_limit: 0.6 } }))).toMatchObject(refusedFor('"usd:0.6"'));
  expect(await run(within({ scope: { read_files: ["docs/a"] } }))).toMatchObject(refusedFor('"read:docs/a"'));
  expect(await run(within({ scope: { allowed_files: ["notes/a.md"] } }))).toMatchObject({ exit: 0 });
  expect(await run(within())).toMatchObject({ exit: 0 });
  const third = within();
  expect(await run(third)).toMatchObject(refusedFor("was good 2 times"));
  await space.runtime.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(join(space.root, `planes/hot/store.db${end}`), { force: true });
  await space.reopen();
  expect(await run(within())).toMatchObject(refusedFor("was good 2 times"));
});

test("a link as older versions wrote it names no order and no range: it is refused, and says what to do", async () => {
  const body = { from: "ada@corp", to: space.runtime.caller, grants: rights, key_id: "laptop" };
  const signed = (more: object) => {
    const link = { ...body, ...more };
    const signature = sign(null, Buffer.from(canonicalJson(link)), ada.privateKey).toString("base64");
    return { authorization: { chain: [{ ...link, signature }] } };
  };
  expect(await run(workOrder(signed({})))).toMatchObject(refusedFor("has to be granted anew (writ flow grant)"));
  const order = workOrder();
  const named = signed({ work_order_id: order["work_order_id"] });
  expect(await run({ ...order, ...named, scope: { allowed_files: ["**"] } })).toMatchObject(
    refusedFor("grants no path"),
  );
  expect(await run({ ...order, ...named })).toMatchObject({ exit: 0, status: "success" });
});

test.each([
  ["a key of another kind", workOrder(), ["--key", "rsa.pem"], "links are signed with Ed25519"],
  ["a file that is no key", workOrder(), ["--key", "writ.yaml"], "cannot be read as a private key"],
  ["a time that is none", workOrder(), ["--key", "ada.pem", "--days", "-1"], "--days takes a number"],
  [
    "a chain that somebody else has to go on with",
    workOrder({ authorization: { chain: [{ from: "ada@corp", to: "bob@corp", grants: ["read"] }] } }),
    ["--key", "ada.pem"],
    "the chain ends at bob@corp",
  ],
  ["a range without an end", workOrder(), ["--key", "ada.pem", "--uses", "3"], "a range has an end"],
  [
    "a range without money",
    workOrder({ budget: {} }),
    ["--key", "ada.pem", "--uses", "3", "--days", "1"],
    "bounds money",
  ],
  ["an order that is none", [1], ["--key", "ada.pem"], "a work order is an object"],
])("refuses %s", async (_, order, more, why) => {
  const { status, errors } = await grant(order, "eve@corp", ...more);
  expect(status, errors).toBe(2);
  expect(errors).toContain(why);
});
