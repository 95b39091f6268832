import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
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
  ["an order that is none", [1], ["--key", "ada.pem"], "a work order is an object"],
])("refuses %s", async (_, order, more, why) => {
  const { status, errors } = await grant(order, "eve@corp", ...more);
  expect(status, errors).toBe(2);
  expect(errors).toContain(why);
});
