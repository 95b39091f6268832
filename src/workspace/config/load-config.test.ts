import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, type Files, ok } from "#core/values";
import { configTemplate } from "../templates.ts";
import { configDefaults } from "./defaults.ts";
import { loadConfig, readConfig } from "./load-config.ts";
import { selectProfile } from "./select-profile.ts";

/** A disk with one file. */
const holding = (text: string | undefined): Files => ({
  readText: async () => (text === undefined ? err(domainError("NOT_FOUND", "there is no file")) : ok(text)),
  list: async () => ok([]),
  stat: async () => ok(undefined),
});
const load = (text: string, env: Record<string, string> = {}) => loadConfig("/w", holding(text), env);

test("an empty file, and one of comments only, are the defaults", async () => {
  expect(await load("")).toEqual({ ok: true, value: configDefaults });
  expect(await load("# nothing\n")).toEqual({ ok: true, value: configDefaults });
});

test("the defaults are themselves valid, and leave no key of the schema without a value", () => {
  expect(shippedRegistry().validate("writ_config_v1", configDefaults)).toMatchObject({ ok: true });
  const schema = shippedRegistry().schema("writ_config_v1");
  expect(schema.ok && sections(schema.value as Schema, configDefaults)).toEqual([]);
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}
/** Paths of the schema's fixed keys that a value lacks. */
function sections(schema: Schema, value: object, path = ""): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const below = (value as Record<string, unknown>)[key];
    if (below === undefined) return [`${path}${key}`];
    return typeof below === "object" && below !== null ? sections(inner, below, `${path}${key}.`) : [];
  });
}

test("a section keeps its other defaults when one key is set; lists are replaced as a whole", async () => {
  const config = await load("limits: { plan_steps: 3 }\ncontext_files: []\n");
  expect(config).toMatchObject({
    ok: true,
    value: { limits: { ...configDefaults.limits, plan_steps: 3 }, context_files: [] },
  });
});

test("the file that writ init writes changes two values, and every setting in its comments is valid", async () => {
  const identity = { ...configDefaults.identity, dev: { allow: true, effects: ["turn"] } };
  const value = { ...configDefaults, max_concurrent_flows: 4, identity };
  expect(await load(configTemplate)).toEqual({ ok: true, value });
  const uncommented = configTemplate.replaceAll(/^#(?=[a-z]| {2})/gm, "");
  const all = await load(uncommented);
  expect(all).toMatchObject({ ok: true, value: { profile: "claude", tools: { allow: ["exec"] } } });
});

test("a profile takes from the base what it leaves out, and an unknown one suggests the nearest", async () => {
  const config = await load("model: small\nprofiles: { cloud: { provider: anthropic } }\n");
  if (!config.ok) throw new Error(config.error.message);
  expect(selectProfile(config.value, "cloud")).toMatchObject({
    ok: true,
    value: { name: "cloud", provider: "anthropic", model: "small" },
  });
  expect(selectProfile(config.value)).toMatchObject({ ok: true, value: { name: "default", provider: "scripted" } });
  expect(selectProfile(config.value, "clod")).toMatchObject({
    ok: false,
    error: { code: "NOT_FOUND", message: expect.stringContaining('did you mean "cloud"?') },
  });
});

test.each([
  ["a profile that is not there", "profile: nowhere\n"],
  ["a fallback that is not there", "fallback: [nowhere]\n"],
  ["a profile's fallback that is not there", "profiles: { a: { fallback: [nowhere] } }\n"],
  ["a store of no known kind", "store: mysql://x\n"],
  ["a key of the prototype", "__proto__: { provider: x }\n"],
  ["a prototype key deep inside", "models: { __proto__: x }\n"],
  ["a version from the future", "version: 2\n"],
  ["a limit of nothing", "limits: { plan_steps: 0 }\n"],
  ["a section that is text", "limits: many\n"],
  ["an unknown hook point", "hooks: { PreToolUs: [] }\n"],
])("%s is refused as configuration, with its line", async (_, text) => {
  const config = await load(text);
  expect(config).toMatchObject({
    ok: false,
    error: { code: "CONFIG_INVALID", kind: "input", message: expect.stringMatching(/writ\.yaml(:1)?/) },
  });
});

test("the environment speaks for one process, and is checked like the file", async () => {
  expect(await load("", { WRIT_STORE: "sqlite:other.db" })).toMatchObject({
    ok: true,
    value: { store: "sqlite:other.db" },
  });
  expect(await load("", { WRIT_STORE: "banana" })).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("WRIT_STORE") },
  });
  expect(JSON.stringify(await load("", { WRIT_STORE: "postgers://ada:hunter2@db/writ" }))).not.toContain("hunter2");
  const effective = await readConfig("/w", holding("store: sqlite:a\n"), { WRIT_STORE: "sqlite:b" });
  expect(effective.ok && effective.value.origins.get("store")).toEqual({ from: "environment", variable: "WRIT_STORE" });
});

test("no writ.yaml is NOT_FOUND", async () => {
  expect(await loadConfig("/w", holding(undefined))).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
});
