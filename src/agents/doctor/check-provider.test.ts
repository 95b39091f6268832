import { realpathSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { nodeFiles, nodeProcesses } from "#core/machine";
import { systemClock } from "#core/values";
import { type Behaviour, type FakeVendor, fakeVendor } from "../../../test/support/vendors/vendor-server.ts";
import { checkProvider } from "../models/provider-lazily.ts";

const key = "a-key-that-nobody-may-see";

describe("writ doctor --provider", () => {
  let root: string;
  let server: FakeVendor;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "writ-doctor-"));
    server = await fakeVendor("openai");
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  });

  const look = async (profile: object, env: Record<string, string> = { OPENAI_API_KEY: key }, wanted = "cloud") => {
    const cloud = { provider: "openai", base_url: server.baseUrl, model: "gpt-5", ...profile };
    await writeFile(join(root, "writ.yaml"), stringify({ profiles: { cloud } }));
    const { signal } = new AbortController();
    const ports = { files: nodeFiles, processes: nodeProcesses(systemClock), clock: systemClock, signal };
    const vouched = { ...env, WRIT_TRUST: realpathSync(root) }; // this folder was not made with `writ init`
    const looked = await checkProvider(wanted, { root, env: vouched, ...ports });
    if (!looked.ok) return { error: looked.error };
    const broken = looked.value.parts.find((part) => part.health === "broken");
    return { parts: looked.value.parts, broken: broken && `${broken.title}: ${broken.found}`, mend: broken?.mend };
  };
  const list = (...ids: readonly string[]): Behaviour => ({
    bytes: JSON.stringify({ data: ids.map((id) => ({ id })) }),
  });

  test("says that all is well, without a prompt", async () => {
    server.will({ bytes: '{"id":"gpt-5"}' });
    expect(await look({})).toMatchObject({ broken: undefined });
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/models/gpt-5"]);
  });

  test("finds the profile by its provider too", async () => {
    server.will({ bytes: "{}" });
    expect(await look({}, { OPENAI_API_KEY: key }, "openai")).toMatchObject({ broken: undefined });
    expect(await look({}, {}, "nobody")).toMatchObject({ error: { code: "NOT_FOUND" } });
  });

  test.each([
    ["a missing key", {}, {}, { words: /^Key: .*OPENAI_API_KEY is not set/, mend: /export OPENAI_API_KEY/ }],
    [
      "a key in quotes",
      {},
      { OPENAI_API_KEY: `"${key}"` },
      { words: /^Key: .*blanks or quotes/, mend: /without quotes/ },
    ],
    [
      "another vendor's key",
      {},
      { OPENAI_API_KEY: "sk-ant-abc" },
      { words: /^Key: .*looks like a key of anthropic/, mend: /another/ },
    ],
    ["no model", { model: null }, undefined, { words: /^Model: the profile names none/, mend: /set model/ }],
    [
      "a compatible server without address",
      { provider: "openai-compatible", base_url: null },
      {},
      { words: /^Address: .*needs a base_url/, mend: /11434/ },
    ],
  ])("tells %s before asking anyone", async (_, profile, env, { words, mend }) => {
    const found = await look(profile, env);
    expect(found.broken).toMatch(words);
    expect(found.mend).toMatch(mend);
    expect(server.requests).toHaveLength(0);
  });

  test.each<readonly [string, readonly Behaviour[], RegExp, RegExp]>([
    [
      "a wrong key",
      [{ status: 401, message: `Incorrect key: ${key}` }],
      /^Model: openai does not accept the key \(401/,
      /new key/,
    ],
    [
      "a misspelled model",
      [{ status: 404 }, list("gpt-5", "gpt-5-mini", "o4")],
      /knows no model "gpt-55"/,
      /did you mean gpt-5\?/,
    ],
    ["an address without models", [{ status: 404 }, { status: 404 }], /no models under this address/, /base_url/],
  ])("tells %s by what the server says", async (_, behaviours, words, mend) => {
    server.will(...behaviours);
    const found = await look({ model: "gpt-55" });
    expect(found.broken).toMatch(words);
    expect(found.mend).toMatch(mend);
    expect(JSON.stringify(found)).not.toContain(key);
  });

  test("a server that only lists its models is asked for the list", async () => {
    server.will({ status: 404 }, list("llama3.3"));
    expect(await look({ provider: "openai-compatible", model: "llama3.3" })).toMatchObject({ broken: undefined });
  });

  test("a server without a list that names the model it does not have", async () => {
    server.will({ status: 404, message: "model: gpt-55" }, { status: 404 });
    expect((await look({ model: "gpt-55" })).broken).toMatch(/accepts the key and knows no model "gpt-55"/);
  });

  test("a web page with a good status is no model that is known", async () => {
    server.will({ status: 200, raw: "<html>Log in first</html>", headers: { "content-type": "text/html" } });
    expect((await look({})).broken).toMatch(/no server can be reached \(a web page came/);
  });

  test("each role's model is looked up", async () => {
    server.will({ bytes: "{}" }, { status: 404 }, list("gpt-5"));
    expect((await look({ models: { reviewer: "gpt-6" } })).broken).toMatch(/^Model \(reviewer\): .*"gpt-6"/);
  });

  test("a server that is not there, in words", async () => {
    const gone = await fakeVendor("openai");
    await gone[Symbol.asyncDispose]();
    expect((await look({ base_url: gone.baseUrl })).broken).toMatch(/no server can be reached \(ECONNREFUSED\)/);
  });

  test("an overloaded server is no mistake of yours", async () => {
    server.will({ status: 529 });
    const found = await look({});
    expect(found.broken).toBeUndefined();
    expect(found.parts?.find(({ id }) => id === "model")).toMatchObject({ health: "limited" });
  });
});
