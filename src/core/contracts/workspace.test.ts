import { describe, expect, test } from "vitest";
import { domainError } from "../errors/domain-error.ts";
import { type Files } from "../values/files.ts";
import { sha256 } from "../values/hash.ts";
import { err, ok } from "../values/result.ts";
import { loadRegistry } from "./workspace.ts";

/** A folder `schemas/` in memory. */
function folder(contents: Readonly<Record<string, string | object>>): Files {
  const text = (name: string) => {
    const content = contents[name];
    return typeof content === "string" ? content : JSON.stringify(content);
  };
  return {
    list: async (path) =>
      ok(
        path === "/w/schemas"
          ? Object.keys(contents)
              .toSorted()
              .map((name) => ({ name, type: name.startsWith("link") ? "link" : "file" }))
          : [],
      ),
    readText: async (path) => {
      const name = path.slice("/w/schemas/".length);
      return name in contents ? ok(text(name)) : err(domainError("NOT_FOUND", `${path} is not there`));
    },
    stat: async () => ok(undefined),
  };
}

const load = (contents: Readonly<Record<string, string | object>>) =>
  loadRegistry({ files: folder(contents), root: "/w" });
const recipe = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "recipe_v1",
  title: "A recipe",
  description: "How to cook.",
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: { name: { type: "string" }, plan: { $ref: "plan_v1" }, review: { $ref: "review_aggregate_v1" } },
};

async function problems(contents: Readonly<Record<string, string | object>>): Promise<readonly string[]> {
  const loaded = await load(contents);
  if (loaded.ok) return [];
  expect(loaded.error.code).toBe("SCHEMA_INVALID");
  return loaded.error.details["problems"] as readonly string[];
}

describe("a workspace's own schemas", () => {
  test("extend the shipped ones and may reference them", async () => {
    const loaded = await load({ "recipe_v1.json": recipe, "README.md": "not a schema" });
    if (!loaded.ok) throw new Error(loaded.error.message);
    const schemas = loaded.value;
    expect(schemas.ids()).toContain("recipe_v1");
    expect(schemas.ids()).toContain("plan_v1");
    expect(schemas.describe("recipe_v1")).toEqual({
      ok: true,
      value: {
        id: "recipe_v1",
        title: "A recipe",
        description: "How to cook.",
        file: "schemas/recipe_v1.json",
        origin: "workspace",
        event: false,
        frozen: false,
        sha256: sha256(JSON.stringify(recipe)),
      },
    });
    expect(schemas.schema("recipe_v1")).toEqual({ ok: true, value: recipe });
    expect(schemas.validate("recipe_v1", { name: "soup" }).ok).toBe(true);
    const wrong = schemas.validate("recipe_v1", { name: "soup", plan: { steps: [] } });
    expect(wrong.ok ? "" : wrong.error.message).toBe(
      'recipe_v1: at $.plan expected a field "risks", found none (and 3 more)',
    );
    expect(schemas.validate("plan_v1", {}).ok).toBe(false);
    expect(schemas.validate("recipy_v1", {})).toMatchObject({
      error: { message: 'no schema "recipy_v1" is registered; did you mean "recipe_v1"?' },
    });
  });

  test("may reference each other, in a circle too", async () => {
    const tree = { $id: "tree_v1", type: "object", properties: { child: { $ref: "leaf_v1" } } };
    const leaf = {
      $id: "leaf_v1",
      type: "object",
      properties: { parent: { $ref: "tree_v1" }, size: { type: "number" } },
    };
    const loaded = await load({ "tree_v1.json": tree, "leaf_v1.json": leaf });
    if (!loaded.ok) throw new Error(loaded.error.message);
    const wrong = loaded.value.validate("tree_v1", { child: { parent: { child: { size: "x" } } } });
    expect(wrong.ok ? "" : wrong.error.message).toBe(
      'tree_v1: at $.child.parent.child.size expected type number, found "x"',
    );
  });

  test("may be absent", async () => {
    const loaded = await load({});
    expect(loaded.ok && loaded.value.has("plan_v1")).toBe(true);
  });

  const refused: readonly (readonly [string, Readonly<Record<string, string | object>>, ...(string | RegExp)[]])[] = [
    [
      "a missing id",
      { "a_v1.json": { type: "object" } },
      'schemas/a_v1.json: it has no $id; expected "a_v1" as in the file\'s name',
    ],
    ["no object", { "a_v1.json": "[]" }, 'schemas/a_v1.json: it has no $id; expected "a_v1" as in the file\'s name'],
    [
      "another id than the file's",
      { "a_v1.json": { $id: "b_v1" } },
      'schemas/a_v1.json: its $id is "b_v1", expected "a_v1" as in the file\'s name',
    ],
    [
      "a redefined contract of Writ",
      { "plan_v1.json": { $id: "plan_v1" } },
      "schemas/plan_v1.json: plan_v1 is a contract of Writ and cannot be redefined; choose another name",
    ],
    [
      "a redefined contract of Writ under another file name",
      { "mine_v1.json": { $id: "tool_v1", $defs: {} }, "x_v1.json": { $id: "event_v1" } },
      'schemas/mine_v1.json: its $id is "tool_v1", expected "mine_v1" as in the file\'s name',
      "schemas/x_v1.json: event_v1 is a contract of Writ and cannot be redefined; choose another name",
    ],
    [
      "a name without a version",
      { "recipe.json": { $id: "recipe" } },
      "schemas/recipe.json: a schema's name ends in its version, such as recipe_v1",
    ],
    [
      "a doubled key",
      { "a_v1.json": '{"$id":"a_v1","type":"object","type":"string"}' },
      'schemas/a_v1.json: the key "type" stands twice in one object (line 1, column 31)',
    ],
    ["no JSON", { "a_v1.json": "{" }, /^schemas\/a_v1\.json: not JSON: /],
    [
      "an invalid schema",
      { "a_v1.json": { $id: "a_v1", type: "strng" } },
      /^schemas\/a_v1\.json: a_v1: not a valid JSON Schema: /,
    ],
    [
      "a keyword that nobody knows",
      { "a_v1.json": { $id: "a_v1", type: "object", requred: ["a"] } },
      /unknown keyword: "requred"/,
    ],
    ["a reference to nothing", { "a_v1.json": { $id: "a_v1", $ref: "b_v1" } }, /can't resolve reference b_v1/],
    ["a link", { "link_v1.json": { $id: "link_v1" } }, "schemas/link_v1.json: not a plain file"],
  ];
  for (const [what, contents, ...expected] of refused)
    test(`with ${what} are refused`, async () => {
      const found = await problems(contents);
      expect(found).toHaveLength(expected.length);
      for (const [index, each] of expected.entries()) {
        if (typeof each === "string") expect(found[index]).toBe(each);
        else expect(found[index]).toMatch(each);
      }
    });

  test("with the same id in two files are refused", async () => {
    const found = await problems({ "a_v1.json": { $id: "a_v1" }, "b_v1.json": { $id: "a_v1" } });
    expect(found).toEqual(["schemas/b_v1.json: the id a_v1 is already taken by another file"]);
  });

  test("report all their problems at once, by file", async () => {
    const loaded = await load({
      "a_v1.json": "{",
      "b_v1.json": { $id: "b_v1", type: "strng" },
      "plan_v1.json": { $id: "plan_v1" },
    });
    const message = loaded.ok ? "" : loaded.error.message;
    expect(message).toMatch(/^3 problems with the workspace's schemas:\n {2}schemas\/a_v1\.json: /);
    expect(message).toContain("\n  schemas/plan_v1.json: plan_v1 is a contract of Writ");
    expect(message).toContain("\n  schemas/b_v1.json: b_v1: not a valid");
  });

  test("that are frozen and changed or gone ask for a v2", async () => {
    const text = JSON.stringify(recipe);
    const frozen = (hash: string) => JSON.stringify({ recipe_v1: hash });
    const loaded = await load({ "recipe_v1.json": text, "frozen.json": frozen(sha256(text)) });
    expect(loaded.ok && loaded.value.describe("recipe_v1")).toMatchObject({ ok: true, value: { frozen: true } });
    expect(await problems({ "recipe_v1.json": `${text}\n`, "frozen.json": frozen(sha256(text)) })).toEqual([
      "schemas/recipe_v1.json is frozen and was changed: add a v2 (recipe_v2.json) and leave this one as it was",
    ]);
    expect(await problems({ "frozen.json": frozen(sha256(text)) })).toEqual([
      "schemas/recipe_v1.json is frozen and is gone: put it back and add a v2 (recipe_v2.json)",
    ]);
    expect(await problems({ "frozen.json": "[]" })).toEqual([
      "schemas/frozen.json: expected an object of schema ids and their SHA-256",
    ]);
    expect(await problems({ "frozen.json": "{" })).toHaveLength(1);
  });

  test("that cannot be listed or read are an error", async () => {
    const broken: Files = {
      ...folder({ "a_v1.json": {} }),
      readText: async () => err(domainError("MALFORMED_INPUT", "not UTF-8")),
    };
    expect(await loadRegistry({ files: broken, root: "/w" })).toMatchObject({
      ok: false,
      error: { message: "schemas/a_v1.json: not UTF-8" },
    });
    const closed: Files = { ...folder({}), list: async () => err(domainError("NOT_FOUND", "no right to look")) };
    expect(await loadRegistry({ files: closed, root: "/w" })).toMatchObject({
      ok: false,
      error: { message: "no right to look" },
    });
  });
});
